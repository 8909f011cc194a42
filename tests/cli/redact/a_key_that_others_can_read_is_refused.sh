. "$(dirname "$0")/common"
chmod 644 keys/redact-default.key
trackway redact log.jsonl -o out.jsonl --keep-structure; status=$?
ls out.jsonl 2>/dev/null
exit $status
