echo '{"budget": {}}' >policy.json
trackway audit "$DATA/audit/kept.otutl.jsonl" --policy policy.json
