# 60 short calls: 40 rows, or all of them
head='{"schema_version":"agent-trace/v1","event_type":"node","trace_id":"t","parent_node_ids":[],"kind":"tool_call"'
tail='"framework":"unknown","tool_call":{"name":"x","wall_time_seconds":0.5}}'
i=0
while [ $i -lt 60 ]; do
	echo "$head,\"node_id\":\"n$i\",\"timestamp_start\":$i,\"timestamp_end\":$i.5,$tail"
	i=$((i + 1))
done >long.jsonl
trackway show long.jsonl | grep -c ' T x'
trackway show long.jsonl | grep 'shorter'
trackway show --all long.jsonl | grep -c ' T x'
