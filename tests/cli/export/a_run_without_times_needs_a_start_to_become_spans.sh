echo '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}' >chat.json
trackway export chat.json "$DATA/export/run.jsonl" --format otlp-json -o both.json
echo $?
grep -o '"name":"invoke_agent[^"]*"' both.json
trackway export chat.json --format otlp-json --start 2026-01-31T12:00:00Z |
	grep -o '"startTimeUnixNano":"[0-9]*","endTimeUnixNano":"[0-9]*"\|times_laid_out'
trackway export chat.json --format otlp-json --start 2026
trackway export chat.json --format dot --start 2026-01-31T12:00:00Z
trackway export chat.json --format otlp-proto
