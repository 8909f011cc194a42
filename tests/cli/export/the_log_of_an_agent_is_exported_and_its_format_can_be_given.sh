cp "$DATA/../../doc/examples/session.jsonl" .
trackway export session.jsonl --format dot -o a.dot
trackway export - --from claude-code --format dot <session.jsonl | cmp - a.dot
