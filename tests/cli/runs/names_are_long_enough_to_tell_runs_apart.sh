. "$DATA/../cli/runs/common"
make_runs
cp -r runs/c runs/d
sed -i 's/0190a0c0-0000-7000-8000-00000c0ffee2/9990a0c0-0000-7000-8000-00000c0ffee2/' runs/d/*
trackway runs runs --json=name
