awk 'BEGIN {
	for (i = 0; i < 500; i++)
		printf("{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%d\"," \
			"\"parent_node_ids\":[\"%d\"],\"timestamp_start\":%d,\"timestamp_end\":%d,\"kind\":\"retry\"}\n", i, i - 1, i, i)
}' >long.jsonl
trackway export long.jsonl --format mermaid --output long.mmd
status=$?
ls long.mmd 2>&1
exit $status
