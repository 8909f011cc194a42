trackway audit "$DATA/audit/kept.otutl.jsonl" --json=verdict,first_offending_seq
