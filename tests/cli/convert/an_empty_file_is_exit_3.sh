: >x.jsonl
trackway convert x.jsonl --to otutl
