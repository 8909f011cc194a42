trackway show "$DATA/show/interrupted.jsonl"
