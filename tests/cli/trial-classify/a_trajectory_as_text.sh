. "$DATA/../cli/trial-classify/common"
trackway trial classify trajectory.jsonl
