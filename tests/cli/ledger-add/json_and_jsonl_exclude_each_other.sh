trackway ledger add a.json --json --jsonl
