trackway audit "$DATA/audit/nothing_declared.otutl.jsonl"
