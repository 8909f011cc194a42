printf '[1.0]\n' >value.jsonl
trackway hash --document value.jsonl
printf '[1]' | sha256sum
