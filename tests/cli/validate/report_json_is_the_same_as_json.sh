cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
trackway validate --json bad.jsonl >a
trackway validate --report json bad.jsonl >b
cmp a b && test -s a
