cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate --json=path,verdict,events good.jsonl
