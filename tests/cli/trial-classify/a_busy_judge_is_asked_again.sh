. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
faulty '{"status": 429, "headers": {"Retry-After": "0"}}'
trackway trial classify trajectory.jsonl --judge mock:m --mock-script faulty.json --json=classifier 2>&1 |
	sed 's/sha256:[0-9a-f]*/sha256:X/; s/in [0-9.]* s/in N s/'
