trackway export "$DATA/export/run.jsonl" --format chrome
