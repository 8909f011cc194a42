. "$(dirname "$0")/common"
trackway redact log.jsonl -o short.jsonl --keep-structure -q
trackway redact log.jsonl --output long.jsonl --keep-structure -q
cmp short.jsonl long.jsonl
