. "$DATA/../cli/runs/common"
make_runs
rm -r home
mkdir runs/logs
cp "$DATA/claude-code/main.jsonl" runs/logs
echo '{"no":"log"}' >runs/logs/other.json
trackway runs runs --sort tokens
trackway runs runs --prices /dev/null --json=kind,dir,cost --model claude
