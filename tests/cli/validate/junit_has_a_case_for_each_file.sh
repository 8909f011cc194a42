cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
trackway validate --report junit good.jsonl bad.jsonl missing.jsonl
