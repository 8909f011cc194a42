trackway validate --strict --permissive good.jsonl
