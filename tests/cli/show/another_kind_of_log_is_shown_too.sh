trackway show "$DATA/otutl/valid.jsonl"
