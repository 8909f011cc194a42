mkdir run && cp "$DATA/show/full.jsonl" run/agent-trace.jsonl
echo "{\"local_only\":true}" >run/cassette.jsonl
trackway telemetry show run --json=node_counts
