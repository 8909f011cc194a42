trackway telemetry show "$DATA/show/full.jsonl"
