trackway export "$DATA/export/run.jsonl" --format ro-crate
