name=$(printf 'a\033[2Jb.jsonl')
sed 's/"success"/"\\u001b[31msuccess"/' "$DATA/../../doc/examples/agent-trace.jsonl" >"$name"
printf '{"schema_version":"agent-trace/v1","event_type":"no\033de"}\n' >>"$name"
for form in text json sarif github junit; do
	trackway validate --report $form "$name" >out 2>&1
	echo "$form $? $(tr -d -c '\033' <out | wc -c)"
done
