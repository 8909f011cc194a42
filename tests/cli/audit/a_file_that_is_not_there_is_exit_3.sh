trackway audit ./nowhere.jsonl
