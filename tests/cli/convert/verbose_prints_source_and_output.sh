mkdir -p in/sub
cp "$DATA/../../doc/examples/chat.jsonl" in/sub
trackway convert in --to otutl -o out/ -v
trackway convert in --to otutl -o flat/ --flat -v
