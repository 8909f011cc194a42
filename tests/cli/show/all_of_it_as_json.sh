trackway show --json "$DATA/show/full.jsonl"
