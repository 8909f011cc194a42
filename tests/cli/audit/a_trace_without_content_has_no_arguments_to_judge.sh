trackway audit "$DATA/agent-trace/convert.jsonl" --policy "$DATA/audit/policy.json"
