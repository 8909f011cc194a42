for format in chrome speedscope dot mermaid html csv ro-crate; do
	trackway export "$DATA/show/hostile.jsonl" --format $format 2>/dev/null | LC_ALL=C tr -d "\n\r\t\040-\377" | wc -c
done
