. "$DATA/../cli/trial-classify/common"
trackway convert trajectory.jsonl --to otutl -o run.otutl.jsonl -q
trackway trial classify run.otutl.jsonl --json=trials | grep -o '"format":"[a-z]*"\|"classified_turns":[0-9]*'
