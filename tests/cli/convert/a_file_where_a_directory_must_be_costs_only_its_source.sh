E=$DATA/../../doc/examples
mkdir -p in/sub out
cp "$E/chat.jsonl" in/sub/a.jsonl
cp "$E/chat.jsonl" in/b.jsonl
echo >out/sub
trackway convert in --to otutl -o out/
echo $?
ls out
