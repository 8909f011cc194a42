trackway export gone.jsonl --format ro-crate -o crate/
ls
