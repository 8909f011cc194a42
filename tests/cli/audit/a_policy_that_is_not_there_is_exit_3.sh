trackway audit "$DATA/audit/kept.otutl.jsonl" --policy nowhere.json
