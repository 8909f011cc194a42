cp -rL "$DATA/bench/run" run
rm run/agent-trace.jsonl run/events.jsonl run/tool_use_summary.*
echo '{"providers": ["mock"], "suite": "prompts.json"}' >run/config.json
trackway validate run | sed 's/ (.* ms)$//'
