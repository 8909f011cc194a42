trackway show --plain "$DATA/show/full.jsonl"
