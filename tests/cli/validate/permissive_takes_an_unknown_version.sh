sed 's,agent-trace/v1,agent-trace/v9,' "$DATA/../../doc/examples/agent-trace.jsonl" >later.jsonl
trackway validate --as agent-trace --json=verdict,codes later.jsonl
trackway validate --as agent-trace --permissive --json=verdict,codes later.jsonl
