cp "$DATA/conversation/anthropic.jsonl" talk
trackway show talk --from conversation --json=format
trackway show talk --from trial
