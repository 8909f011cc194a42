cp "$DATA/export/run.jsonl" "$DATA/agent-trace/minimal.jsonl" .
for format in chrome speedscope dot mermaid html csv mooncake ro-crate; do
	trackway export run.jsonl minimal.jsonl --format $format -o out
done
