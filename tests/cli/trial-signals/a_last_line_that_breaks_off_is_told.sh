. "$DATA/../cli/trial-signals/common"
head -c -20 trajectory.jsonl >t.jsonl
trackway trial signals t.jsonl >/dev/null
trackway trial classify t.jsonl --json | grep -o '"unreadable":[0-9]*'
