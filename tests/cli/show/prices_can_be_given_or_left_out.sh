cp "$DATA/claude-code/main.jsonl" .
trackway show main.jsonl --no-cost --json=cost,unpriced_models
trackway show main.jsonl --json=cost,unpriced_models
trackway show main.jsonl --no-cost --limit 0 | grep cost
trackway show main.jsonl --no-cost --prices x
