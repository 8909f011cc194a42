. "$(dirname "$0")/common"
trackway redact log.jsonl -o one.jsonl --keep-structure -q
trackway redact one.jsonl -o two.jsonl --keep-structure -q
cmp one.jsonl two.jsonl
