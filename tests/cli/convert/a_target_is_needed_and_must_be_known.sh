trackway convert x.jsonl
trackway convert x.jsonl --to codex
