trackway telemetry show "$DATA/show/full.jsonl" | trackway telemetry verify-payload -
