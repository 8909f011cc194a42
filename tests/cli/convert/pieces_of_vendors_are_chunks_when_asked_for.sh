cat >exec.jsonl <<'X'
{"type":"thread.started","thread_id":"t1"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"x","aggregated_output":""}}
{"type":"item.updated","item":{"id":"item_0","type":"command_execution","command":"x","aggregated_output":"a\n"}}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"x","aggregated_output":"a\nb\n"}}
X
line() {
	printf '{"timestamp":"2026-01-02T03:04:%s.000Z","type":"%s","payload":{"type":"%s","call_id":"c1",%s}}\n' "$@"
}
{
	echo '{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"s1"}}'
	line 06 response_item function_call '"name":"shell","arguments":"{}"'
	line 07 event_msg exec_command_output_delta '"stream":"stdout","chunk":"YQo="'
	line 08 event_msg exec_command_output_delta '"stream":"stderr","chunk":"Ygo="'
	line 09 response_item function_call_output '"output":"a\nb\n"'
} >rollout.jsonl
said() {
	printf '{"type":"%s","uuid":"%s","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-02T03:04:%s.000Z",%s}\n' "$@"
}
{
	said assistant a 05 '"message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{}}]}'
	said progress b 07 '"data":{"type":"bash_progress","output":"a","fullOutput":"a"},"parentToolUseID":"c1"'
	said progress c 08 '"data":{"type":"bash_progress","output":"a\nb","fullOutput":"a\nb"},"parentToolUseID":"c1"'
	said user d 09 '"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"a\nb\nc"}]}'
} >session.jsonl
for log in exec rollout session; do
	trackway convert $log.jsonl --to otutl --chunks -o out.jsonl -q
	grep -o '"chunks":[^]]*]' out.jsonl
	trackway validate out.jsonl | head -1
	trackway convert $log.jsonl --to otutl | grep -c '"chunks"'
done
exit 0
