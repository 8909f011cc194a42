trackway show "$DATA/show/full.jsonl" --signals --json
