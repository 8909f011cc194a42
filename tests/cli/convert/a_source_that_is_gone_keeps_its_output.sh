E=$DATA/../../doc/examples
mkdir in
cp "$E/session.jsonl" "$E/chat.jsonl" in
cp "$E/chat.jsonl" in/not-now.jsonl
trackway convert in --to otutl -o out/
rm in/chat.jsonl
echo '{"nothing":1}' >in/not-now.jsonl
trackway convert in --to otutl -o out/ --update
trackway convert in --to otutl -o out/ --update -v
ls out
