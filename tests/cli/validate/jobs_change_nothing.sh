cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
i=0
while [ $i -lt 300 ]; do
	cat bad.jsonl
	i=$((i + 1))
done >many.jsonl
trackway validate --json --jobs 1 many.jsonl >a
trackway validate --json --jobs 4 many.jsonl >b
cmp a b && test -s a
