trackway export "$DATA/export/run.jsonl" --format dot -o no/such/run.dot
