trackway hash --json=path,run_hash "$DATA/otutl/valid.jsonl"
