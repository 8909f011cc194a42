cp "$DATA/export/run.jsonl" .
trackway export . --format ro-crate -o crate/
ls crate
cmp run.jsonl crate/agent-trace.jsonl
trackway export run.jsonl --format ro-crate -o crate/
