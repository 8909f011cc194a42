. "$DATA/../cli/runs/common"
make_runs
cp "$DATA/show/full.jsonl" runs/b/agent-trace.jsonl
for name in c0ffee2 0010910_010000 tag:job @last; do
	trackway show $name --json=path,bench | sed "s|$PWD/||"
done
trackway show 0_010000 | sed "s|$PWD/||" | head -4
trackway convert 0_010000 --to otutl -q | wc -l
trackway hash 0_010000 | sed "s|.*$PWD/||"
trackway validate tag:job --json=path,format | sed "s|$PWD/||g"
