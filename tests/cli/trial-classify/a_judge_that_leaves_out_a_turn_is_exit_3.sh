. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
sed 's/\\"turn_index\\": 4/\\"turn_index\\": 40/' judge.json >lazy.json
trackway trial classify trajectory.jsonl --judge mock:m --mock-script lazy.json
