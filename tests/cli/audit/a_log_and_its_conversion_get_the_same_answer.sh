# The seq of any log is the one that convert writes.
cat >policy.json <<'END'
{"budget": {"max_calls": 1, "tool_limits": {"Bash": 0, "shell://local/ls": 0}, "max_tokens": 10, "allowed_tools": ["x"]},
 "retrieval_set": []}
END
for log in claude-code/session.jsonl claude-code/main.jsonl agent-trace/convert.jsonl openai-chat/stream.sse; do
	trackway audit "$DATA/$log" --policy policy.json | sed 1d >first
	trackway convert -q "$DATA/$log" --to otutl >log.otutl.jsonl
	trackway audit log.otutl.jsonl --policy policy.json | sed 1d >second
	cmp first second && grep -c '^  seq' first
done
