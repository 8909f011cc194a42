cat >trace.json <<'X'
{"traces":[{"object":"trace","id":"t","workflow_name":"w","spans":[{"object":"trace.span","id":"s"}]}]}
X
trackway convert trace.json --to agent-trace
echo $?
