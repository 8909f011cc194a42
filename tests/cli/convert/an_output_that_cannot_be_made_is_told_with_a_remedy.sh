cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert chat.jsonl --to otutl --output no/such/
trackway convert chat.jsonl --to otutl --output no/such.jsonl
trackway convert chat.jsonl --to otutl --output chat.jsonl/
trackway convert chat.jsonl --to otutl --coverage-json -
