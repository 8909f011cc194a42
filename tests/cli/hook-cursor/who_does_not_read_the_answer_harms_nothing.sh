# The agent may have closed the pipe: the status is 0 all the same.
(
	sleep 0.3
	echo '{"hook_event_name":"beforeSubmitPrompt"}' | trackway hook cursor
	echo $? >&2
) 2>status | true
cat status
