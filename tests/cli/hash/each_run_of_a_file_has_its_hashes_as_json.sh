trackway hash --json=records,runs,run_id,run_hash "$DATA/otutl/two_runs.jsonl"
