. "$DATA/../cli/trial-signals/common"
trackway trial signals trajectory.jsonl
