. "$DATA/../cli/trial-run/common"
trackway trial run task
