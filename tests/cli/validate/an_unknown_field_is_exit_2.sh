trackway validate --json=verdikt good.jsonl
