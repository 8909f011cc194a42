. "$DATA/../cli/runs/common"
make_runs
trackway runs --plain | sed "s|$PWD/||"
