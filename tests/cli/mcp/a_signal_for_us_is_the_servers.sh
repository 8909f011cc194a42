mkfifo hold
trackway mcp -- sh -c 'trap "echo caught; exit 3" TERM; echo ready; while :; do sleep 0.05; done' <hold >out &
exec 3>hold
while ! grep -q ready out; do sleep 0.02; done
kill -TERM $!
wait $!
status=$?
cat out
exit $status
