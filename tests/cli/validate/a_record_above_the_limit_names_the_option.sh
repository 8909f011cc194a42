cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate --max-record 100 good.jsonl
