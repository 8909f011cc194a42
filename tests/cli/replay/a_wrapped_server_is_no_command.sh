# With --shell a server behind 'trackway mcp' is a command of the recording. A replay does not start it, nor what it runs.
. "$DATA/../cli/record/common"
cat >server <<'X'
#!/usr/bin/env bash
while read -r line; do
	uname >/dev/null
	echo '{"jsonrpc":"2.0","id":1,"result":{}}'
done
X
cat >client <<'X'
echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | trackway mcp -- ./server
uname >/dev/null
X
chmod +x server
trackway record -q --content --shell -o run -- sh ./client 2>said
grep -c '"parent":"mcp"' run/cassette.jsonl
mv server away
trackway replay run -- sh ./client 2>said | grep -e verdict -e requests -e tools
