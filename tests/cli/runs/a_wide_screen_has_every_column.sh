. "$DATA/../cli/runs/common"
make_runs
COLUMNS=130 trackway runs
