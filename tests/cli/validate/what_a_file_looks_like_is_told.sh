cat >message.json <<'END'
{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":"end_turn","usage":{"input_tokens":1}}
END
trackway validate message.json >out
status=$?
head -n 2 out
trackway validate --json=format,verdict,looks_like message.json
exit $status
