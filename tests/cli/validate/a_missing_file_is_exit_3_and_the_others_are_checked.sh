cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
trackway validate missing.jsonl good.jsonl >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
