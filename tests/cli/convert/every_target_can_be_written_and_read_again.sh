cp "$DATA/../../doc/examples/session.jsonl" .
for to in otutl agent-trace trajectory conversation conversation-openai conversation-anthropic atif otlp-json; do
	trackway convert session.jsonl --to $to -q >out.$to || echo "$to: exit $?"
	printf '%s: ' $to
	trackway convert out.$to --to otutl -q | tr ',' '\n' | grep -c '"type":"tool_call"'
done
