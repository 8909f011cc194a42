. "$DATA/../cli/record/common"
# Spans of two runs, told apart by the attribute of the resource; with a prompt, which must not be kept.
spans() {
	printf '{"resourceSpans":[{"resource":{"attributes":[{"key":"agent_trace.run.id","value":{"stringValue":"%s"}}]},' "$1"
	printf '"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c8031%s","spanId":"b7ad6b7169203331",' "$2"
	printf '"name":"chat m","startTimeUnixNano":"1760000000000000000","endTimeUnixNano":"1760000001000000000",'
	printf '"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},'
	printf '{"key":"gen_ai.usage.input_tokens","value":{"intValue":"11"}},'
	printf '{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}},'
	printf '{"key":"gen_ai.prompt.0.content","value":{"stringValue":"a canary"}}]}]}]}]}'
}
echo 0123456789abcdef0123456789abcdef >token
XDG_RUNTIME_DIR=$PWD trackway record --otlp --listen 127.0.0.1:0 --token-file token -o runs >out 2>said &
recorder=$!
while ! grep -qs OTLP out; do sleep 0.05; done
stable <out
address=$(sed 's/^.*ENDPOINT=\([^ ]*\)\/t\/.*/\1/' out)
for name in one two; do
	"$cases/ask" "$address/t/$(cat token)/v1/traces" "$(spans $name 9c)" && echo
done
"$cases/ask" "$address/v1/traces" "$(spans three 0c)"
"$cases/ask" "$address/t/$(cat token)/v1/chat/completions" '{}'
# a span that has no ids
"$cases/ask" "$address/t/$(cat token)/v1/traces" '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}' && echo
kill $recorder
wait $recorder
echo "exit $?"
cat said >&2
for run in runs/*/; do nodes "$run/agent-trace.jsonl"; done
grep -rl canary runs || echo "no canary"
