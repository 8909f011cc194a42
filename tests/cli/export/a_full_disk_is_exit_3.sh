trackway export "$DATA/export/run.jsonl" --format dot >/dev/full
