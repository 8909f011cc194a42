# Lengths, waits, gaps and what is external are worked out from the times and names of the log: all have their mark.
line()
{
	printf '{"type":"%s","sessionId":"s","uuid":"%s","timestamp":"2026-01-01T00:00:%s.000Z","message":%s}\n' "$@"
}
answer()
{
	printf '{"id":"%s","type":"message","role":"assistant","model":"example-1","content":%s,"stop_reason":"%s"}' "$@"
}
calls='[{"type":"tool_use","id":"c1","name":"mcp__github__search","input":{}},'
calls=$calls'{"type":"tool_use","id":"c2","name":"Bash","input":{}}]'
results='[{"type":"tool_result","tool_use_id":"c1","content":"x"},{"type":"tool_result","tool_use_id":"c2","content":"y"}]'
{
	line user u1 00 '{"role":"user","content":"go"}'
	line assistant u2 01 "$(answer m1 "$calls" tool_use)"
	line user u3 02 "{\"role\":\"user\",\"content\":$results}"
	line assistant u4 03 "$(answer m2 '[{"type":"text","text":"done"}]' end_turn)"
	line user u5 10 '{"role":"user","content":"more"}'
	line assistant u6 11 "$(answer m3 '[{"type":"text","text":"done"}]' end_turn)"
} >session.jsonl
trackway convert session.jsonl --to agent-trace -o t.jsonl -q
COLUMNS=80 trackway show t.jsonl | sed -n '/^time/,/^waterfall/p'
# A log without a time: none is shown for a tool that ran.
cat >exec.jsonl <<'X'
{"type":"thread.started","thread_id":"t1"}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"x","exit_code":0}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"done"}}
{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":7}}
X
trackway convert exec.jsonl --to agent-trace -o e.jsonl -q
COLUMNS=80 trackway show e.jsonl | sed '/^waterfall/,$d'
