printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' \
	'{"jsonrpc":"2.0", "id":2,"method":"a","params":{ }}' \
	'{"jsonrpc":"2.0","id":"3","method":"b","params":{ "x" : 1}}' \
	'{"jsonrpc":"2.0","id":4,"method":"c","params":{"_meta":{"progressToken":4},"y":"é"}}' \
	'{"jsonrpc":"2.0","id":5,"method":"d","params":{"_meta":{"traceparent":"kept"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/x"}' '{"jsonrpc":"2.0","id":6,"result":{}}' 'no JSON' >said
printf 'no end' >>said
TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 trackway mcp --set-traceparent -- cat <said |
	sed 's/c80319c-[0-9a-f]\{16\}-01/c80319c-SPAN-01/'
