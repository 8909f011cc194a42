mkdir dir
cp "$DATA/../../doc/examples/agent-trace.jsonl" dir/a.jsonl
for i in 1 2 3 4 5 6 7; do echo '{"resourceSpans":[]}' >dir/o$i.json; done
trackway validate -v dir
trackway validate dir --json | tr '[' '\n' | tail -n 2
trackway validate dir --report junit | grep -c '<skipped message="of a format without rules; it looks like an OpenTelemetry trace"/>'
trackway validate dir --report sarif | grep -o '[0-9]* files in no format that has rules[^"]*'
