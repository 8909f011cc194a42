sed 's,agent-trace/v1,agent-trace/v2,' "$DATA/agent-trace/minimal.jsonl" >v2.jsonl
sed 's,"schema_version":"agent-trace/v1",,; s/^{,/{/' "$DATA/agent-trace/minimal.jsonl" >none.jsonl
for file in v2 none; do
	trackway convert $file.jsonl --to otutl
	echo "$file: $?"
	trackway show $file.jsonl
	echo "$file: $?"
	trackway convert $file.jsonl --to otutl --permissive | grep -c '"type"'
	trackway show $file.jsonl --permissive --json=verdict
done
