trackway record -q -o run -- sh "$DATA/../cli/mcp/client" trackway mcp --name mine -- sh "$DATA/../cli/mcp/server" >answers
grep -o 'mine[.][a-z]*' run/agent-trace.jsonl
