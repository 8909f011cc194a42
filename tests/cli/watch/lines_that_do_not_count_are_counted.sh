# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
mkdir runs
{
	node a model_call
	echo '{"schema_version":"agent-trace/v1","event_type":"node"'
	echo '{"schema_version":"agent-trace/v9","event_type":"node"}'
	node b model_call -1000
	node c model_call
	printf '{"schema_version":"agent-trace/v1"'
} >runs/trace.jsonl
trackway watch runs --once --json=events,lines_skipped
