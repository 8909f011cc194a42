trackway show "$DATA/show/full.jsonl"
