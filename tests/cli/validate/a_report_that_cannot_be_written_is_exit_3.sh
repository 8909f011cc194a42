cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate good.jsonl --output no/such/place.txt
