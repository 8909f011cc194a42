cp "$DATA/../../doc/examples/session.jsonl" .
trackway convert session.jsonl --to agent-trace -q >trace.jsonl
trackway validate --strict trace.jsonl
grep -c -e april -e 'ls -l' -e report-tool trace.jsonl
