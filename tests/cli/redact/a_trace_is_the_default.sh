. "$(dirname "$0")/common"
trackway redact log.jsonl -o trace.jsonl
grep -c -e harbour -e Alice -e ghp_ trace.jsonl
stat -c %a trace.jsonl
trackway validate -q trace.jsonl
