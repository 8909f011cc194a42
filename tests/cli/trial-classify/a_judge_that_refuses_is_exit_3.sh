. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
faulty '{"status": 400}'
trackway trial classify trajectory.jsonl --judge mock:m --mock-script faulty.json
