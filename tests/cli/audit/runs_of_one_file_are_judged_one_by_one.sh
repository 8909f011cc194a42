trackway audit "$DATA/audit/two_runs.otutl.jsonl"
