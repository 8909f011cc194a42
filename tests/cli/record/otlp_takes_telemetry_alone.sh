. "$DATA/../cli/record/common"
# A span of a model call, with a prompt in its attributes, which must not be kept; then a request for a model.
cat >spans.json <<'END'
{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",
"name":"chat gpt-x","kind":3,"startTimeUnixNano":"1760000000000000000","endTimeUnixNano":"1760000001000000000",
"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
{"key":"gen_ai.provider.name","value":{"stringValue":"openai"}},
{"key":"gen_ai.request.model","value":{"stringValue":"gpt-x"}},
{"key":"gen_ai.response.id","value":{"stringValue":"chatcmpl-1"}},
{"key":"gen_ai.usage.input_tokens","value":{"intValue":"11"}},
{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}},
{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"a canary\"}]}]"}}
]}]}]}]}
END
OPENAI_BASE_URL=http://mine record -o run --otlp --content -- sh -c '
	echo "$OPENAI_BASE_URL ${TRACKWAY_PROXY-unset} $OTEL_EXPORTER_OTLP_PROTOCOL"
	"$0/ask" "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces" "$(cat spans.json)"
	echo
	"$0/ask" "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/chat/completions" "{}"' "$cases"
nodes run/agent-trace.jsonl
grep -o '"known_by":[^]]*]' run/agent-trace.jsonl
grep -l canary run/* || echo "no canary"
