mkdir run && cp "$DATA/show/full.jsonl" run/agent-trace.jsonl
cat >run/conversation.jsonl <<END
{"role": "user", "content": "x"}
{"role": "assistant", "content": "y"}
END
trackway show run --signals
trackway show run/agent-trace.jsonl --signals --json
