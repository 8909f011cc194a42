trackway export "$DATA/show/damaged.jsonl" --format dot -o x.dot
