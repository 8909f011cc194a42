cp "$DATA/../../doc/examples/chat.jsonl" .
mkdir -p out/.unfinished
flock out/.unfinished/journal.jsonl trackway convert chat.jsonl --to otutl -o out
echo $?
trackway convert chat.jsonl --to otutl -o out
ls -A out
