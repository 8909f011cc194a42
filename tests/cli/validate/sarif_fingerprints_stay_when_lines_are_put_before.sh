cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
fingerprints()
{
	trackway validate --report sarif "$1" | grep -o '"primaryLocationLineHash":"[^"]*"' | sort
}
fingerprints bad.jsonl >a
id=019dfd99-8e2d-7ca0-9f2c-95aa144c1d00
head -n 1 "$DATA/../../doc/examples/agent-trace.jsonl" | sed "s/\"node_id\":\"[^\"]*\"/\"node_id\":\"$id\"/" >longer.jsonl
cat bad.jsonl >>longer.jsonl
fingerprints longer.jsonl >b
test -s a && comm -23 a b
