trackway audit "$DATA/audit/wrong_budget.otutl.jsonl"
