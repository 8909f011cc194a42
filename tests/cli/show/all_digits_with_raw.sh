trackway show --raw "$DATA/show/full.jsonl" | head -12
