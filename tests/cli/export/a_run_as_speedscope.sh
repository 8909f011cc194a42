trackway export "$DATA/export/run.jsonl" --format speedscope
