trackway audit "$DATA/audit/estimated.otutl.jsonl"
