. "$(dirname "$0")/common"
trackway redact "$DATA/redact/cassette.jsonl" -o out.jsonl --keep-structure -q
cat out.jsonl
trackway convert out.jsonl --to conversation -q
