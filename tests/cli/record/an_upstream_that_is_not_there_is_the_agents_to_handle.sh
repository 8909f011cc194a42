. "$DATA/../cli/record/common"
record -o run --upstream openai=http://127.0.0.1:1 -- sh -c '
	"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"small\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
	exit 7' "$cases" | stable
grep -oE '"(exit_status|error_message)":[^,]*' run/summary.json
