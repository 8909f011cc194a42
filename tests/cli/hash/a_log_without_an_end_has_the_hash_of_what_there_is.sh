trackway hash --json=run_hash,records,complete "$DATA/otutl/W_PARTIAL.jsonl"
head -n 3 "$DATA/otutl/valid.jsonl" | trackway hash --json=run_hash,records,complete -
