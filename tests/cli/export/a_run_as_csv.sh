trackway export "$DATA/export/run.jsonl" --format csv
