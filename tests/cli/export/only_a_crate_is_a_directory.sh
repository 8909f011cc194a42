mkdir out
trackway export "$DATA/export/run.jsonl" --format dot -o out
