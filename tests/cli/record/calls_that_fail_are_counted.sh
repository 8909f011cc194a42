. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
record -o run --upstream "openai=$url/v1" -- sh -c 'for try in 1 2; do
		"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"small\",\"messages\":[{\"role\":\"user\",\"content\":\"busy\"}]}"
	done' "$cases" | grep -oE '"content":"[^"]*"|"code":"[^"]*"'
nodes run/agent-trace.jsonl
grep -o '"node_counts":{[^}]*}' run/summary.json
