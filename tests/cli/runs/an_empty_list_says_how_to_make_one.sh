. "$DATA/../cli/runs/common"
trackway runs
trackway runs --json
