mkdir -p dir/sub
cp "$DATA/../../doc/examples/agent-trace.jsonl" dir/sub/agent-trace.jsonl
cp "$DATA/otutl/valid.jsonl" dir/log.jsonl
echo '{"name":"package"}' >dir/package.json
echo '[1,2]' >dir/list.json
trackway validate dir >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
trackway validate -v dir 2>&1 >out | sort
exit $status
