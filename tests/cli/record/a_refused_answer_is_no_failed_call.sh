. "$DATA/../cli/record/common"
cat >refuses.json <<'EOF'
{ "schema": "trackway.mock/1", "rules": [ { "reply": { "text": "I cannot", "finish": "content_filter" } } ] }
EOF
start_mock --script refuses.json
record -q -o run --content --upstream "openai=$url/v1" -- sh -c 'for try in 1 2; do
		"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"small\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"
	done' "$cases" >answers
echo "exit $?"
nodes run/agent-trace.jsonl
grep -o '"stop_reason":"[a-z_]*"\|"refused":[a-z]*' run/agent-trace.jsonl
grep -o '"failed": [0-9]*' run/meta.json
grep -o '"exit_status":"[a-z]*"' run/summary.json
trackway show run/agent-trace.jsonl --json | grep -o '"failed":[a-z0-9]*' | sort | uniq -c | sed 's/^ *//'
trackway validate --strict run -q
echo "what a converted trace says"
trackway convert -q run/run.otutl.jsonl --to agent-trace | grep -o '"kind":"[a-z_]*"\|"stop_reason":"[a-z_]*"\|"refused":[a-z]*'
trackway convert run/agent-trace.jsonl --to otutl | grep -o '"stop_reason":"[a-z_]*"'
trackway convert run/agent-trace.jsonl --to agent-trace | grep -o '"stop_reason":"[a-z_]*"\|"refused":[a-z]*'
