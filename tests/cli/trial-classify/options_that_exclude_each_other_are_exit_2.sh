. "$DATA/../cli/trial-classify/common"
trackway trial classify trajectory.jsonl --json --plain
echo $?
trackway trial classify trajectory.jsonl --rules x --judge mock:m
echo $?
trackway trial classify trajectory.jsonl --write-reference x
