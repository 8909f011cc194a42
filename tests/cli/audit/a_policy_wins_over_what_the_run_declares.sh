trackway audit "$DATA/audit/several.otutl.jsonl" --policy "$DATA/audit/strict.json"
trackway audit "$DATA/audit/several.otutl.jsonl" --policy "$DATA/audit/strict.json" --json |
	grep -o -e '"declared_by":[^,]*' -e '"overrides":[^,]*'
