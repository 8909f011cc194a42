trackway export "$DATA/export/run.jsonl" --format dot --max-record 100
