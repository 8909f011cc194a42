# A run without a proxy: telemetry told of the model, a hook of a tool for which a person was asked, a shim of its time.
node()
{
	printf '{"schema_version":"agent-trace/v1","event_type":"node","trace_id":"t","node_id":"%s","parent_node_ids":[%s],' "$1" "$2"
	printf '"timestamp_start":%s,"timestamp_end":%s,"kind":"%s","framework":"x"%s}\n' "$3" "$4" "$5" "$6"
}
{
	node m '' 1000.0 1001.5 model_call ',"known_by":["otlp"],"model_call":{"model":"example-1","latency_seconds":1.5}'
	node u '"m"' 1001.5 1003.0 user_input ',"known_by":["hook"]'
	node t '"m","u"' 1003.0 1004.0 tool_call \
		',"known_by":["shell","hook"],"tool_call":{"name":"Bash","wall_time_seconds":1,"stall_seconds":0.5}'
} >trace.jsonl
COLUMNS=80 trackway show trace.jsonl | head -12
trackway show trace.jsonl --json=known_by,compactions
trackway show trace.jsonl --plain | grep -e known_by -e user
# What the proxy alone saw needs no line.
sed 's/"known_by":[^]]*]/"known_by":["proxy"]/' trace.jsonl | trackway show - | grep known
