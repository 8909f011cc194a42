trackway convert x.jsonl
trackway convert x.jsonl --to claude-code
