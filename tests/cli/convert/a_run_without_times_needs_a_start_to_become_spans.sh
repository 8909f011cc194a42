echo '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}' >chat.json
echo '{"type":"run_start","ts":"2026-01-02T03:04:05.000Z","run_id":"019b7c9a-1c88-7000-8000-000000000001","seq":0,"otutl":"1"}
{"type":"run_end","ts":"2026-01-02T03:04:06.000Z","run_id":"019b7c9a-1c88-7000-8000-000000000001","seq":1,"status":"success"}' >timed.jsonl
trackway convert chat.json timed.jsonl --to otlp-json -o both.json
echo $?
grep -c invoke_agent both.json
trackway convert chat.json --to otlp-json --start 2026-01-31T12:00:00Z | grep -o '"startTimeUnixNano":"[0-9]*","endTimeUnixNano":"[0-9]*"'
trackway convert chat.json --to otlp-json --start yesterday
trackway convert chat.json --to atif --start 2026-01-31T12:00:00Z
trackway convert chat.json --to otlp-json
