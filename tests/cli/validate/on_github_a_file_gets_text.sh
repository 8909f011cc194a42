cp "$DATA/../../doc/examples/agent-trace.jsonl" a.jsonl
export GITHUB_ACTIONS=true
trackway validate a.jsonl -o out.txt
cat out.txt
trackway validate -q a.jsonl -o out.txt
