. "$DATA/../cli/record/common"
start_mock --log asked
record -o run --upstream "openai=$url/api/v3" --upstream "anthropic=$url" --upstream "lab=$url/v1" -- sh -c '
	for path in v1/traces v1/logs v1/metrics openai/v1/traces anthropic/v1/logs/ lab/traces "v1/traces?x=1"; do
		printf "%s: " "$path"
		"$0/ask" "$TRACKWAY_PROXY/$path" "{\"resourceSpans\":[]}"
		echo
	done
	"$0/ask" "$TRACKWAY_PROXY/lab/models" >models' "$cases" | cut -c 1-100
grep -o '"path":"[^"]*"' asked
