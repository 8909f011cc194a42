. "$DATA/../cli/trial-classify/common"
printf 'execution\t1\talways\t-\tx\nverification\tmuch\tsays\ttest\tx\n' >own.tsv
trackway trial classify trajectory.jsonl --rules own.tsv
