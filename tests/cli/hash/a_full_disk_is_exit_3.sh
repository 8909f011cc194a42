trackway hash "$DATA/otutl/valid.jsonl" >/dev/full
