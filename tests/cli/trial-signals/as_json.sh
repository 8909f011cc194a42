. "$DATA/../cli/trial-signals/common"
trackway trial signals trajectory.jsonl --json
trackway trial signals - --json=format --jobs 1 <trajectory.jsonl
