trackway show --color always "$DATA/show/full.jsonl"
