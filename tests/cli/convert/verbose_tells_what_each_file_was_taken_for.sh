mkdir in
cp "$DATA/../../doc/examples/session.jsonl" "$DATA/../../doc/examples/chat.jsonl" in
echo '{"nothing":1}' >in/value.json
trackway convert in --to otutl -v -o out.jsonl
