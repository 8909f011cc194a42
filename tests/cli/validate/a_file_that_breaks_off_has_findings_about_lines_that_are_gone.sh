# Parents that never come, and then a line that cannot be read: the findings at the end are about lines which
# are gone by then. Under AddressSanitizer this fails if anything still looks at them.
for i in $(seq 100 599); do
	printf '{"schema_version":"agent-trace/v1","event_type":"node","trace_id":"01HV0000000000000000000000",'
	printf '"node_id":"01HV0000000000000000000%s","parent_node_ids":["01HV0000000000000000001%s"],' "$i" "$i"
	printf '"timestamp_start":1,"timestamp_end":2,"kind":"retry","framework":"unknown"}\n'
done >long.jsonl
{ printf '"'; head -c 3000000 /dev/zero | tr '\0' x; printf '"\n'; } >>long.jsonl
trackway validate --jobs 1 --max-record 2MiB --json=path,verdict,errors,codes long.jsonl
