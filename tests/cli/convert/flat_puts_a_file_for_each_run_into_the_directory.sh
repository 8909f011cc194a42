mkdir in
cp "$DATA/../../doc/examples/session.jsonl" "$DATA/../../doc/examples/chat.jsonl" in
cat in/session.jsonl >in/other.jsonl
sed -i 's/5f0c1f6e/6f0c1f6e/g; s/"uuid":"0a/"uuid":"0b/g' in/other.jsonl
echo '{"nothing":1}' >in/value.json
trackway convert in --to otutl -o out/ --flat
ls out
