mkdir dir
cp "$DATA/../../doc/examples/agent-trace.jsonl" dir/good.jsonl
echo '<html>not found</html>' >dir/page.json
printf ' \n\n' >dir/blank.jsonl
printf '\377\376{\0}\0' >dir/wide.json
echo '{"models":3}' >dir/summary.json
echo '{"name":"package"}' >dir/package.json
trackway validate dir >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
