. "$(dirname "$0")/common"
trackway redact log.jsonl -o out.jsonl --secrets-only
diff log.jsonl out.jsonl
