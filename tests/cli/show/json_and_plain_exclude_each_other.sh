trackway show --json --plain "$DATA/show/full.jsonl"
