cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate --strict good.jsonl && trackway validate --permissive good.jsonl
