cp "$DATA/../../doc/examples/session.jsonl" .
trackway validate session.jsonl >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
