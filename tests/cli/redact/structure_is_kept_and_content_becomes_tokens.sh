. "$(dirname "$0")/common"
trackway redact log.jsonl -o out.jsonl --keep-structure
cat out.jsonl
stat -c %a out.jsonl
