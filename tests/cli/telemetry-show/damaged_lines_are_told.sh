sed "2s/.*/{\"a\":1}/" "$DATA/show/full.jsonl" >t.jsonl
trackway telemetry show t.jsonl --json=node_counts
