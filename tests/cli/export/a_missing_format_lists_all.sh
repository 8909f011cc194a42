trackway export "$DATA/export/run.jsonl"
