. "$(dirname "$0")/common"
trackway redact log.jsonl
