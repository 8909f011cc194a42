mkdir in
cp "$DATA/../../doc/examples/chat.jsonl" in/
cp "$DATA/agent-trace/minimal.jsonl" in/trace.jsonl
sed 's,agent-trace/v1,agent-trace/v2,' in/trace.jsonl >in/v2.jsonl
head -c 9000 /dev/zero | tr '\0' x >in/text.json
trackway convert in --to otutl --coverage -o out.jsonl 2>said
sed -n '/coverage of/p; /several  *[0-9]/s/  *[0-9]*$//p' said
cat in/chat.jsonl in/trace.jsonl | wc -c
