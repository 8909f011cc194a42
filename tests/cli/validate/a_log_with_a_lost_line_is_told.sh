cat >session.jsonl <<'END'
{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","timestamp":"2026-09-10T10:00:00Z","message":{"content":"hi"}}
{"type":"assistant","uuid":"c","parentUuid":"b","sessionId":"s","timestamp":"2026-09-10T10:00:02Z","message":{"id":"m","content":[]}}
END
cat >rollout.jsonl <<'END'
{"timestamp":"2026-09-10T10:00:00Z","ordinal":0,"type":"session_meta","payload":{"id":"t"}}
{"timestamp":"2026-09-10T10:00:01Z","ordinal":1,"type":"world_state","payload":{}}
{"timestamp":"2026-09-10T10:00:02Z","ordinal":1,"type":"world_state","payload":{}}
{"timestamp":"2026-09-10T10:00:03Z","ordinal":3,"type":"world_state","payload":{}}
END
trackway validate session.jsonl rollout.jsonl >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
