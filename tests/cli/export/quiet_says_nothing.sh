trackway export "$DATA/export/run.jsonl" --format dot -o run.dot -q
