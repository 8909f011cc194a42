. "$DATA/../cli/runs/common"
make_runs
trackway runs --jsonl | sed "s|$PWD/||g; s/.*\"name\":\"\([^\"]*\)\".*/\1/"
