# Cursor asks before it takes a prompt; to all else there is no answer.
echo '{"hook_event_name":"beforeSubmitPrompt","conversation_id":"c-1","prompt":"canary"}' | trackway hook cursor
echo '{"hook_event_name":"postToolUse","conversation_id":"c-1","tool_use_id":"t1","duration":5}' | trackway hook cursor
echo nonsense | trackway hook cursor
trackway hook cursor </dev/null
