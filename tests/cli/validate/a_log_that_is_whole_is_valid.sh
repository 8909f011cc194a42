cp "$DATA/claude-code/session.jsonl" "$DATA/atif/full.json" .
cat >rollout.jsonl <<'END'
{"timestamp":"2026-09-10T10:00:00Z","ordinal":0,"type":"session_meta","payload":{"id":"t"}}
{"timestamp":"2026-09-10T10:00:01Z","ordinal":1,"type":"response_item","payload":{"type":"function_call","call_id":"c"}}
END
trackway validate rollout.jsonl
trackway validate full.json
trackway validate --json=path,format,verdict,variant,interrupted rollout.jsonl full.json
