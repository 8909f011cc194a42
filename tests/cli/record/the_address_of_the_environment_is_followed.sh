. "$DATA/../cli/record/common"
start_mock
question='{"model":"small","messages":[{"role":"user","content":"hello"}]}'
OPENAI_BASE_URL=$url/v1 record -q -o one -- sh -c '"$0/ask" "$OPENAI_BASE_URL/chat/completions" "$1"' "$cases" "$question" >out
ANTHROPIC_BASE_URL=$url record -q -o two -- sh -c '"$0/ask" "$ANTHROPIC_BASE_URL/v1/messages" "$1"' "$cases" "$question" >>out
OLLAMA_HOST=${url#http://} record -q -o three -- sh -c '"$0/ask" "$OLLAMA_HOST/api/chat" "$1"' "$cases" "$question" >>out
grep -ho '"endpoint":"[^"]*"' one/agent-trace.jsonl two/agent-trace.jsonl three/agent-trace.jsonl | stable
