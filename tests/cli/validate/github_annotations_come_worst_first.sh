cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
trackway validate --report github bad.jsonl >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
