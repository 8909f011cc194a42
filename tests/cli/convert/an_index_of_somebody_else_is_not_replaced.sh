cp "$DATA/../../doc/examples/chat.jsonl" .
mkdir out
echo '{"title":"my files"}' >out/index.jsonl
trackway convert chat.jsonl --to otutl -o out/
echo $?
ls -A out
cat out/index.jsonl
