. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
faulty '{"cut_after": 2}'
trackway trial classify trajectory.jsonl --judge mock:m --mock-script faulty.json
