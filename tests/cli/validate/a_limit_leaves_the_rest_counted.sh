yes '{"a":' | head -n 200 >bad.jsonl
trackway validate --as jsonl --limit 3 --json=errors,findings_not_listed bad.jsonl
