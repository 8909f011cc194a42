. "$DATA/../cli/trial-signals/common"
mkfifo pipe
cat trajectory.jsonl >pipe &
trackway trial signals - --json <pipe | grep -o '"timed_results":1\|"classification":.*'
