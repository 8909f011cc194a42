mkdir logs
cp "$DATA/export/run.jsonl" "$DATA/agent-trace/minimal.jsonl" "$DATA/../../doc/examples/session.jsonl" logs
echo "{}" >logs/other.json
trackway export logs --format dot -o logs/all.dot --jobs 2
trackway export logs --format dot -o logs/all.dot -q
