mkdir -p runs/a
printf '[1]' >runs/b.json
cp "$DATA/otutl/valid.jsonl" runs/a/valid.jsonl
echo 'not this' >runs/readme.txt
trackway hash runs
