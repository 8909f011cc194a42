cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert . --to otutl -o logs/
trackway convert . --to otutl -o logs/
rm -r logs
trackway convert . --to otutl -o all.jsonl
trackway convert . --to otutl -o all.jsonl
