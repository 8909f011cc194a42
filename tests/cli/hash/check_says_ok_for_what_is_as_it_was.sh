printf '[1.0]' >value.json
cp "$DATA/otutl/valid.jsonl" run.jsonl
cp "$DATA/otutl/two_runs.jsonl" two.jsonl
trackway hash value.json run.jsonl two.jsonl >SUMS
trackway hash --check SUMS
