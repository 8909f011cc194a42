trackway show "$DATA/show/failed.jsonl" | head -5
