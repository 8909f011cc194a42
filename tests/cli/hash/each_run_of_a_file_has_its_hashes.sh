trackway hash "$DATA/otutl/two_runs.jsonl"
