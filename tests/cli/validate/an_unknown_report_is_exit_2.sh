trackway validate --report xml good.jsonl
