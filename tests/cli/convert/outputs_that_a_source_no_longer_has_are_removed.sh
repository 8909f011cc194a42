T=$DATA/../../doc/examples/agent-trace.jsonl
mkdir in
sed 's/019dfd99-8dfa/019dfd99-8dfb/' "$T" | cat "$T" - >in/t.jsonl
cp in/t.jsonl in/u.jsonl
trackway convert in --to conversation -o out/ -q
ls out
cp "$T" in/t.jsonl
cp "$T" in/u.jsonl
echo 'a note of mine' >>out/u.jsonl.2.conversation.jsonl
trackway convert in --to conversation -o out/ --update -v
ls out
grep -c . out/index.jsonl
