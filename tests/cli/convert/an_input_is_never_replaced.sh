cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert chat.jsonl --to otutl -o ./chat.jsonl
ln -s chat.jsonl link
trackway convert --to otutl --output link <chat.jsonl
trackway convert chat.jsonl --to otutl -o out.jsonl --coverage-json chat.jsonl
trackway convert . --to otutl -o .
ls
cmp chat.jsonl "$DATA/../../doc/examples/chat.jsonl"
