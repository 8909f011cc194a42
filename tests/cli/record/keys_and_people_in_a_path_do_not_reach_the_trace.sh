. "$DATA/../cli/record/common"
start_mock
body='{"model":"../../home/bob/small","messages":[{"role":"user","content":"hello"}]}'
record -q -o run --upstream "openai=$url/v1" --upstream "lab=$url/team-a/v1" \
	--upstream "door=$url/token/AbCdEf0123456789AbCdEf01/v1" -- sh -c '
	for path in openai/v1/sk-helicone-eu-abc1234-def5678-ghi9012 openai/v1/key=hunter2 bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5 \
		users/bob@example.com home/alice/x lab door; do
		"$0/ask" "$TRACKWAY_PROXY/$path/chat/completions" "$1" >answer
	done' "$cases" "$body"
grep -o '"endpoint":"[^"]*","model":"[^"]*"' run/agent-trace.jsonl | stable
trackway validate -q --strict --secrets run/agent-trace.jsonl
