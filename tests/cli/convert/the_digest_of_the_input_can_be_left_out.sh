trackway convert "$DATA/../../doc/examples/chat.jsonl" --to otutl | head -1 | grep -c file_sha256
trackway convert "$DATA/../../doc/examples/chat.jsonl" --to otutl --no-digest | head -1 | grep -c file_sha256
