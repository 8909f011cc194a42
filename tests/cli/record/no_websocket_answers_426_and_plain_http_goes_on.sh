. "$DATA/../cli/record/common"
start_mock
# Asks for a WebSocket as Codex does; prints the status and the message.
cat >upgrade <<'END'
#!/usr/bin/env bash
rest=${OPENAI_BASE_URL#http://}
host=${rest%%/*}
exec 3<>"/dev/tcp/${host%:*}/${host#*:}" || exit 1
printf 'GET /%s/responses HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' "${rest#*/}" "$host" >&3
printf 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n' >&3
read -r _ status reason <&3
echo "$status ${reason%?}"
[ "$status" = 101 ] || sed -n '/message/{p;q;}' <&3
END
chmod +x upgrade
record -o run --no-websocket --upstream "openai=$url/v1" -- sh -c './upgrade
	"$0/ask" "$OPENAI_BASE_URL/responses" "{\"model\":\"small\",\"input\":\"hi\"}" | grep -o "\"status\":\"completed\"" | head -1' "$cases"
nodes run/agent-trace.jsonl
record -o other --no-websocket --upstream "openai=$url/v1" -- ./upgrade
