gzip -c "$DATA/../../doc/examples/agent-trace.jsonl" >a.jsonl.gz
trackway validate a.jsonl.gz
