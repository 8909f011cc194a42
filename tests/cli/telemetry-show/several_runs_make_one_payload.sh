trackway telemetry show "$DATA/show/full.jsonl" "$DATA/show/full.jsonl" --jobs 1 --json=node_counts
