mkdir run && cp "$DATA/show/full.jsonl" run/agent-trace.jsonl
trackway show run --transcript
echo "exit $?"
printf '%s\n' '{"role": "user", "content": "x"}' '{"role": "assistant", "content": "y"}' >run/conversation.jsonl
trackway show run --transcript
trackway show run/agent-trace.jsonl --transcript --jsonl | wc -l
