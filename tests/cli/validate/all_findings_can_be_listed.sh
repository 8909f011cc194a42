yes '{"a":' | head -n 200 >bad.jsonl
trackway validate --as jsonl bad.jsonl | grep -c '^error'
trackway validate --as jsonl --all bad.jsonl | grep -c '^error'
