trackway record -q -o run -- sh "$DATA/../cli/mcp/client" trackway mcp -- sh "$DATA/../cli/mcp/server" >answers
cat answers
grep -o '"known_by":\[[^]]*\]\|"tool_name":"[^"]*"\|"name":"[^"]*"\|"partial":true' run/agent-trace.jsonl
cat run/*.json run/*.jsonl | grep -c SECRET
trackway validate -q run/agent-trace.jsonl
