trackway validate --all --limit 3 bad.jsonl
