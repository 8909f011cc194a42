name=$(printf 'a\033[31m.jsonl')
cp "$DATA/../../doc/examples/chat.jsonl" "$name"
trackway convert "$name" --to otutl -v -o "$name.out"
