. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
trackway trial classify trajectory.jsonl --judge mock:m --mock-script judge.json --no-stream --json -q |
	sed 's/sha256:[0-9a-f]*/sha256:X/'
