. "$(dirname "$0")/common"
trackway redact log.jsonl -o out.jsonl --from conversation --keep-structure
