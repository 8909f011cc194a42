trackway hash "$DATA/otutl/valid.jsonl"
