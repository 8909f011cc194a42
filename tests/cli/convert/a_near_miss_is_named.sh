trackway convert x.jsonl --to otult
trackway convert x.jsonl --to otutl --from claude
trackway convert x.jsonl --to otutl --form claude-code
