. "$DATA/../cli/trial-run/common"
trackway trial run --agent true
