. "$DATA/../cli/trial-run/common"
trackway trial run --resume task
