sed s:agent-trace/v1:agent-trace/v9: "$DATA/show/full.jsonl" >t.jsonl
trackway telemetry show t.jsonl; echo "exit $?"
trackway telemetry show t.jsonl --permissive --json=node_counts
