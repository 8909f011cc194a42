trackway show "$DATA/show/version.jsonl"
