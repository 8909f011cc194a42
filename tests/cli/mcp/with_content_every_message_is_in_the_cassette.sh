trackway record -q --content -o run -- sh "$DATA/../cli/mcp/client" trackway mcp --chunks -- sh "$DATA/../cli/mcp/server" >answers
grep '"lane":"mcp"' run/cassette.jsonl | sed 's/"instance":"[0-9a-f]*"/"instance":"I"/; s/"t_us":[0-9]*/"t_us":T/; s/"delay_us":[0-9]*/"delay_us":D/'
grep -c SECRET run/agent-trace.jsonl
trackway convert -q run/cassette.jsonl --to otutl >/dev/null
