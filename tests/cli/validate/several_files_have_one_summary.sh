cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
cp "$DATA/otutl/valid.jsonl" log.jsonl
cp "$DATA/otutl/E_SEQ_GAP.jsonl" gap.jsonl
trackway validate good.jsonl bad.jsonl log.jsonl gap.jsonl >out
status=$?
grep -v '^[ =]' out | sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/'
exit $status
