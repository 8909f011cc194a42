grep summary "$DATA/show/full.jsonl" >t.jsonl
trackway telemetry show t.jsonl
