cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert chat.jsonl --to otutl -o out.jsonl --update
trackway convert chat.jsonl --to otutl --update
trackway convert chat.jsonl --to otutl -o out.jsonl --flat
trackway convert chat.jsonl --to otutl --flat
trackway convert chat.jsonl --to otutl -o out/ --flat --update
echo $?
ls
