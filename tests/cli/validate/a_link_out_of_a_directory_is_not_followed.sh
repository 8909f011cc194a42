mkdir d out
cp "$DATA/agent-trace/minimal.jsonl" out/secret.jsonl
cp "$DATA/agent-trace/minimal.jsonl" d/agent-trace.jsonl
ln -s ../out/secret.jsonl d/x.jsonl
ln -s ../out d/dir
ln -s agent-trace.jsonl d/again.jsonl
trackway validate d -q
echo "exit $?"
trackway validate d/x.jsonl -q
echo "exit $?"
