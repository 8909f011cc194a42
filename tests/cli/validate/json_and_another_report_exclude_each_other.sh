trackway validate --json --report sarif good.jsonl
