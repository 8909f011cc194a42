trackway show "$DATA/conversation/anthropic.jsonl" --limit 0 | grep 'no price'
trackway show "$DATA/conversation/anthropic.jsonl" --json=cost,unpriced_models
trackway show "$DATA/conversation/anthropic.jsonl" --plain | grep cost
