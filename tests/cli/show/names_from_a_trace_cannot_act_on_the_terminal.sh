trackway show "$DATA/show/hostile.jsonl"
