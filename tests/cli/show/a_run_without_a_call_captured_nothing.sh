grep '"user_input"\|"summary"' "$DATA/show/full.jsonl" >trace.jsonl
trackway show trace.jsonl
