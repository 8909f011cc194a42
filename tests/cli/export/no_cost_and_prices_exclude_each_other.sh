trackway export "$DATA/export/run.jsonl" --format dot --no-cost --prices x
