trackway audit "$DATA/audit/withheld.otutl.jsonl" --json=verdict,first_offending_seq,runs
