. "$DATA/../cli/trial-signals/common"
sed "3s/.*/{{{/" trajectory.jsonl >t.jsonl
trackway trial signals t.jsonl
