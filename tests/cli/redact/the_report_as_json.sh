. "$(dirname "$0")/common"
trackway redact log.jsonl -o out.jsonl --keep-structure --json
trackway redact log.jsonl -o trace.jsonl --json=mode,cleaned -q
