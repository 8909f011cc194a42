echo old >run.dot
trackway export "$DATA/export/run.jsonl" --format dot -o run.dot
head -n 1 run.dot
