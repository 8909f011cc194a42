cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
trackway validate --json=verdict good.jsonl -o report.json && cat report.json
trackway validate --json=verdict bad.jsonl -o report.json
status=$?
cat report.json
exit $status
