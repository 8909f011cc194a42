COLUMNS=120 trackway show "$DATA/show/full.jsonl"
