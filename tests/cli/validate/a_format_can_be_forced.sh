cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate --as otutl --json=format,verdict good.jsonl
