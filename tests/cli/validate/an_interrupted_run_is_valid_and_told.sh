grep -v '"summary"' "$DATA/../../doc/examples/agent-trace.jsonl" >cut.jsonl
trackway validate cut.jsonl
trackway validate --json=verdict,interrupted cut.jsonl
