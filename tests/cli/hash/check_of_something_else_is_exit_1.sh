printf '[1]' >value.json
cp "$DATA/otutl/valid.jsonl" run.jsonl
trackway hash value.json run.jsonl >SUMS
sed 's/success/error/' "$DATA/otutl/valid.jsonl" >run.jsonl
trackway hash --check SUMS
