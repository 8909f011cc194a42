trackway show "$DATA/show/damaged.jsonl" | head -6
