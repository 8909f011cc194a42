. "$(dirname "$0")/common"
trackway redact log.jsonl -o one.jsonl --keep-structure --key team 2>&1 | sed "s/made the key [a-z2-7]*/made the key ID/;s/key [a-z2-7]*$/key ID/"
stat -c "%a %s" keys/redact-team.key
trackway redact log.jsonl -o two.jsonl --keep-structure --key keys/redact-team.key -q
cmp one.jsonl two.jsonl
trackway redact log.jsonl -o three.jsonl --keep-structure -q
cmp -s one.jsonl three.jsonl || echo another key, other tokens
