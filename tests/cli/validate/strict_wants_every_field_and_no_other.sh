grep -v '"summary"' "$DATA/../../doc/examples/agent-trace.jsonl" | head -n 1 | sed 's/"stream"/"mood":"fine","stream"/' >one.jsonl
trackway validate one.jsonl
trackway validate --strict --json=verdict,codes one.jsonl
