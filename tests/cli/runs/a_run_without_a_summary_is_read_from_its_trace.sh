. "$DATA/../cli/runs/common"
make_runs
sed -i '$d' runs/a/agent-trace.jsonl
trackway runs runs/a --plain | sed "s|$PWD/||"
