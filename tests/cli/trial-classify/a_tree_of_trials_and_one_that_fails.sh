. "$DATA/../cli/trial-classify/common"
trials
rm trials/short.jsonl
echo nonsense >trials/other.json
trackway trial classify trials trials/t2.json
