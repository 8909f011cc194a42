. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
faulty '{"stall_ms": 60000}'
trackway trial classify trajectory.jsonl --judge mock:m --mock-script faulty.json --timeout 1
