. "$DATA/../cli/trial-classify/common"
trials
trackway trial classify trajectory.jsonl --reference trials/t2.json
