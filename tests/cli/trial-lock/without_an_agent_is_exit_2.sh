. "$DATA/../cli/trial-run/common"
trackway trial lock task
