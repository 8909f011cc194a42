. "$DATA/../cli/runs/common"
make_runs
rm -r runs/a
trackway runs --plain | cut -f 1,3
echo
trackway runs --all --plain | cut -f 1,3,15
