E=$DATA/../../doc/examples
mkdir -p in/a/b in/c
cp "$E/session.jsonl" in/a/b
cp "$E/chat.jsonl" in/c
gzip -nc "$E/chat.jsonl" >in/c/chat.jsonl.gz
sed 's/019dfd99-8dfa/019dfd99-8dfb/' "$E/agent-trace.jsonl" | cat "$E/agent-trace.jsonl" - >in/two.jsonl
echo '{"nothing":1}' >in/value.json
trackway convert in --to otutl -o out/
find out -type f | LC_ALL=C sort
sed 's/,"source_size.*//' out/index.jsonl
