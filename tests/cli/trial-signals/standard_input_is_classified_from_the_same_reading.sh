. "$DATA/../cli/trial-signals/common"
cat trajectory.jsonl | trackway trial signals - --json | grep -o '"timed_results":1\|"classification":.*'
