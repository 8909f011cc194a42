. "$DATA/../cli/runs/common"
make_runs
for by in when tokens cost duration; do
	echo "$by"
	trackway runs --sort $by --plain | cut -f1
	echo "$by, reversed"
	trackway runs --sort $by --reverse --plain | cut -f1
done
