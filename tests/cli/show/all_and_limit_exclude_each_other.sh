trackway show --all --limit 3 "$DATA/show/full.jsonl"
