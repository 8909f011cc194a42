trackway telemetry show "$DATA/show/full.jsonl" --gpu-count 12 --engine-version v0.10.2+me --json
