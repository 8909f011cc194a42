. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
trackway trial classify trajectory.jsonl --judge openai:m
