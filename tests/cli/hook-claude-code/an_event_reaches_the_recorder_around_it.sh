# A hook inside a recording: a tool call that no model was seen to ask for is a node of the run, without its arguments.
TRACKWAY_HOME=$PWD/home
export TRACKWAY_HOME
cat >agent.sh <<'END'
tell()
{
	printf '{"hook_event_name":"%s","session_id":"s-1","tool_name":"Bash","tool_use_id":"toolu_1",%s}' "$1" "$2" |
		trackway hook claude-code
}
tell PreToolUse '"tool_input":{"command":"canary"}'
sleep 0.1
tell PostToolUse '"tool_input":{"command":"canary"},"tool_response":{"stdout":"canary","stderr":""}'
END
trackway record -q -o run -- sh agent.sh 2>/dev/null
grep -c '"kind":"tool_call"' run/agent-trace.jsonl
grep -o '"known_by":\["hook"\]' run/agent-trace.jsonl
grep -o '"result_size_bytes":[0-9]*' run/agent-trace.jsonl
grep -o '"framework":"[a-z_]*"' run/agent-trace.jsonl | sort -u
[ "$(cat run/meta.json run/agent-trace.jsonl | grep -c canary)" = 0 ]
