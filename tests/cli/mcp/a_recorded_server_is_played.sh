# The server is recorded once; then its answers come from the cassette, with the ids of the client.
. "$DATA/../cli/record/common"
here=$DATA/../cli/mcp
trackway record -q --content -o run -- sh "$here/client" trackway mcp --name files -- sh "$here/server" >first 2>said
grep -o '"from":"client".*' run/cassette.jsonl | grep -o '"method":"[a-z/]*"' | sort | uniq -c
grep '"from":"client"' run/cassette.jsonl | sed 's/.*"inline"://; s/}}$//' >asked
trackway mcp --replay run --name files -- nonexistent-server <asked >answers
echo "exit $?"
grep -c '"result"' answers
echo '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"unheard","arguments":{}}}' |
	trackway mcp --replay run --name files -- nonexistent-server | grep -o '"code":-[0-9]*'
