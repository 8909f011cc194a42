. "$DATA/../cli/record/common"
start_mock
messages='{"model":"small","max_tokens":9,"messages":[{"role":"user","content":"hello"}]}'
# both readings of each variable, and the version twice; the last one is nobody's path, and passes as it is
ANTHROPIC_BASE_URL=$url OPENAI_BASE_URL=$url/v1 GROQ_BASE_URL=$url OLLAMA_BASE_URL=$url/v1 record -q -o run -- sh -c '
	for to in "$ANTHROPIC_BASE_URL/messages" "$ANTHROPIC_BASE_URL/v1/messages" "$ANTHROPIC_BASE_URL/v1/v1/messages" \
		"$OPENAI_BASE_URL/chat/completions" "$OPENAI_BASE_URL/v1/chat/completions" "${OPENAI_BASE_URL%/v1}/chat/completions" \
		"$GROQ_API_BASE/chat/completions" "$OLLAMA_BASE_URL/chat/completions" "$ANTHROPIC_BASE_URL/nobody/messages"; do
		"$0/ask" "$to" "$1" >answer
	done' "$cases" "$messages"
grep -o '"endpoint":"[^"]*"' run/agent-trace.jsonl | stable
