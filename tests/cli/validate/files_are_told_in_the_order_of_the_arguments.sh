cp "$DATA/../../doc/examples/agent-trace.jsonl" a.jsonl
cp a.jsonl b.jsonl
trackway validate a.jsonl missing b.jsonl gone --json=path,verdict 2>err
echo $?
trackway validate a.jsonl missing b.jsonl --report junit 2>>err | grep -o ' name="[a-z.]*"' | tr '\n' ' '
echo
trackway validate missing a.jsonl --report github 2>&1 | sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/'
