trackway show --permissive "$DATA/show/version.jsonl" | head -5
