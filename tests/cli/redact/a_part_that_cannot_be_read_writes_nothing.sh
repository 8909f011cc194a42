. "$(dirname "$0")/common"
echo "{\"content\": harbour" >> log.jsonl
trackway redact log.jsonl -o out.jsonl --keep-structure; status=$?
ls out.jsonl 2>/dev/null
exit $status
