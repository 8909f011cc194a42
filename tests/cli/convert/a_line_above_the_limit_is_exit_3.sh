cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert chat.jsonl --to otutl --max-record 3T
trackway convert chat.jsonl --to otutl --max-record 100
