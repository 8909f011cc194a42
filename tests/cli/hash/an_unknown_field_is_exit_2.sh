trackway hash --json=path,run_hsah "$DATA/otutl/valid.jsonl"
