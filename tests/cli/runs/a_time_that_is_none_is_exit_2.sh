. "$DATA/../cli/runs/common"
trackway runs --since yesterday
