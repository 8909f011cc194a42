. "$(dirname "$0")/common"
trackway redact log.jsonl -o detected.jsonl -q
trackway redact log.jsonl -o set.jsonl --from conversation -q
cmp detected.jsonl set.jsonl
trackway redact log.jsonl -o other.jsonl --from claude-code
