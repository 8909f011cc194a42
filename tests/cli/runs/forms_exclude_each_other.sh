. "$DATA/../cli/runs/common"
trackway runs --json --plain
