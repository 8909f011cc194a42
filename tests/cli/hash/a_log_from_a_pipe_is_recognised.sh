trackway hash <"$DATA/otutl/valid.jsonl"
trackway hash - <"$DATA/otutl/valid.jsonl"
