cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate --as agent-tarce good.jsonl
