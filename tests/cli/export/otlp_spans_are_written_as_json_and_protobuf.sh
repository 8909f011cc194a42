trackway export "$DATA/export/run.jsonl" --format otlp-json
trackway export "$DATA/export/run.jsonl" --format otlp-proto | od -An -tx1 | head -4
