trackway show --json=verdict,total_seconds,tokens "$DATA/show/full.jsonl"
