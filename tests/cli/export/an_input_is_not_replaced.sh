cp "$DATA/export/run.jsonl" .
trackway export run.jsonl --format dot -o ./run.jsonl
