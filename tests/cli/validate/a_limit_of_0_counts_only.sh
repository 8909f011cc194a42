yes '{"schema_version":"agent-trace/v1"}' | head -n 7 >bad.jsonl
trackway validate bad.jsonl --limit 0 | sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/'
echo ---
trackway validate bad.jsonl | grep -c '^error'
trackway validate bad.jsonl --limit 7 | grep -c '^error'
trackway validate bad.jsonl --limit 6 | grep above
