trackway telemetry show "$DATA/show/full.jsonl" --engine-version main
