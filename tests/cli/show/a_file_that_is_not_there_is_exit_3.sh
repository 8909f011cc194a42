trackway show nowhere.jsonl
