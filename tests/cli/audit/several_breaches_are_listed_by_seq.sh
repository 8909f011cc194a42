trackway audit "$DATA/audit/several.otutl.jsonl"
