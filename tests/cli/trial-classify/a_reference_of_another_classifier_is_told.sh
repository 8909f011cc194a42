. "$DATA/../cli/trial-classify/common"
trials
printf 'exploration\t5\talways\t-\tall of it\n' >own.tsv
trackway trial classify trials/t1.json --reference trials --write-reference good.json -q >/dev/null
trackway trial classify trials/t1.json --reference good.json --rules own.tsv --json=classifier 2>&1 |
	sed 's/sha256:[0-9a-f]*/sha256:X/'
