. "$DATA/../cli/runs/common"
make_runs
trackway runs --json | sed "s|$PWD/||g"
trackway runs --json=name,verdict --limit 1
