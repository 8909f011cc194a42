mkdir in
cp "$DATA/../../doc/examples/chat.jsonl" "in/$(printf 'a\377b').jsonl"
cp "$DATA/../../doc/examples/chat.jsonl" "in/$(printf 'a\376b').jsonl"
trackway convert in --to otutl -o out/
trackway convert in --to otutl -o out/ --update
find out -name "*otutl*" | LC_ALL=C sort | od -c | grep -c "37[67]"
