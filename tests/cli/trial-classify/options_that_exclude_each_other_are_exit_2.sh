. "$DATA/../cli/trial-classify/common"
for options in '--json --plain' '--rules x --judge mock:m' '--write-reference x'; do
	trackway trial classify trajectory.jsonl $options
	echo $?
done
