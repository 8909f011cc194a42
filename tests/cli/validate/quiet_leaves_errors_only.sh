cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
trackway validate -q good.jsonl
trackway validate -q bad.jsonl | grep '^[a-z0-9]'
