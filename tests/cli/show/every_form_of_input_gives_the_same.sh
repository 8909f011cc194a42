cp "$DATA/claude-code/session.jsonl" .
gzip -k session.jsonl
for from in session.jsonl session.jsonl.gz; do
	trackway show $from --json=verdict,cost,tokens,tool_errors,format
	trackway show - --json=verdict,cost,tokens,tool_errors,format <$from
	cat $from | trackway show - --json=verdict,cost,tokens,tool_errors,format
done
