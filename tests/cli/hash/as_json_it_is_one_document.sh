printf '[1]' >value.json
trackway hash --json "$DATA/otutl/valid.jsonl" value.json "$DATA/otutl/two_runs.jsonl"
