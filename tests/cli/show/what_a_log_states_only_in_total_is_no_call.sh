cat >exec.jsonl <<'X'
{"type":"thread.started","thread_id":"t1"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}
{"type":"turn.completed","usage":{"input_tokens":5650,"output_tokens":78}}
X
trackway convert exec.jsonl --to agent-trace -o t.jsonl -q
trackway show t.jsonl
trackway show t.jsonl --json=node_counts,total_only,models
