mkdir run
cp "$DATA/export/run.jsonl" run/agent-trace.jsonl
cp "$DATA/../../doc/examples/session.jsonl" run/cassette.jsonl
trackway export run --format dot -o run.dot
