trackway export "$DATA/export/run.jsonl" --format mermaid
