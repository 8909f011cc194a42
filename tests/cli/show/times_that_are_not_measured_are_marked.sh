# Two calls of a fan-out whose time is that between an answer and the next request, one measured, one without a result.
node()
{
	printf '{"schema_version":"agent-trace/v1","event_type":"node","trace_id":"t","node_id":"%s","parent_node_ids":[%s],' "$1" "$2"
	printf '"timestamp_start":%s,"timestamp_end":%s,"kind":"%s","framework":"x"%s}\n' "$3" "$4" "$5" "$6"
}
inferred=',"wall_time_source":"inferred"'
tokens='"input_tokens":10,"input_tokens_source":"api","output_tokens":5,"output_tokens_source":"api"'
{
	node m '' 1000.0 1001.5 model_call ",\"model_call\":{\"model\":\"example-1\",\"latency_seconds\":1.5,$tokens}"
	node b '"m"' 1001.5 1001.5 branch ',"branch":{"branch_kind":"fan_out","siblings":["a1","a2"]},"inferred":true'
	node a1 '"b"' 1001.5 1004.0 tool_call ",\"inferred\":true,\"tool_call\":{\"name\":\"Bash\",\"is_external\":true$inferred}"
	node a2 '"b"' 1001.5 1004.0 tool_call ",\"inferred\":true,\"tool_call\":{\"name\":\"Bash\",\"is_external\":true$inferred}"
	node c '"m"' 1004.0 1004.25 tool_call ',"tool_call":{"name":"measured","is_external":false,"wall_time_seconds":0.25}'
	node d '"m"' 1004.25 1009.0 tool_call \
		',"partial":true,"tool_call":{"name":"a_tool_with_a_rather_long_name","is_external":false,"partial":true}'
} >trace.jsonl
COLUMNS=80 trackway show trace.jsonl
trackway show trace.jsonl --json=time,tools
