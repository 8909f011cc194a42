. "$DATA/../cli/runs/common"
make_runs
trackway runs --model nobody
