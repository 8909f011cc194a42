trackway audit "$DATA/audit/kept.otutl.jsonl" --json=verdicts
