. "$DATA/../cli/record/common"
start_mock
record --upstream "my-lab=$url/v1" -- sh -c '
	echo "$TRACKWAY_UPSTREAM_MY_LAB" | grep -c "^http://127.0.0.1:[0-9]*/my-lab$"
	"$0/ask" "$TRACKWAY_UPSTREAM_MY_LAB/chat/completions" \
		"{\"model\":\"small\",\"messages\":[{\"role\":\"user\",\"content\":\"to the lab\"}]}"' "$cases" |
	sed 's/.*"content":"\([^"]*\)".*/\1/'
grep -o '"endpoint":"[^"]*"' runs/*/agent-trace.jsonl | stable
