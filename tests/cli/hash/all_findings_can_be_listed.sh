yes "{" | head -n 8 >bad.jsonl
trackway hash bad.jsonl 2>&1 | grep -c '^error'
trackway hash bad.jsonl 2>&1 | tail -n 1
trackway hash --all bad.jsonl 2>&1 | grep -c '^error'
