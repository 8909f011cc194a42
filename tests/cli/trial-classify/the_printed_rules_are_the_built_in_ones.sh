. "$DATA/../cli/trial-classify/common"
trackway trial classify --print-rules >own.tsv
head -3 own.tsv
trackway trial classify trajectory.jsonl --json >one
trackway trial classify trajectory.jsonl --rules own.tsv --json >two
cmp one two
