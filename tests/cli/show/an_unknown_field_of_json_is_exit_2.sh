trackway show --json=verdict,tokenz "$DATA/show/full.jsonl"
