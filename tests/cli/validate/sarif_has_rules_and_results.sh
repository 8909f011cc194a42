cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
trackway validate --report sarif bad.jsonl >out
status=$?
sed 's/"primaryLocationLineHash":"[0-9a-f]*:/"primaryLocationLineHash":"HASH:/g' out
exit $status
