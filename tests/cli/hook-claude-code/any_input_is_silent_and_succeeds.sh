# Nothing is printed and the status is 0: the agent waits for it, and would stop.
for event in '' nonsense '{}' '[' '{"hook_event_name":"PreToolUse","tool_use_id":"toolu_1","tool_name":"Bash"}'; do
	printf '%s' "$event" | trackway hook claude-code
	echo $?
done
trackway hook claude-code --wrong option </dev/null
echo $?
TRACKWAY_SOCKET=/nowhere/x.sock trackway hook claude-code </dev/null
