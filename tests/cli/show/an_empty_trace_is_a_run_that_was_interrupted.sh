trackway show "$DATA/show/empty.jsonl"
