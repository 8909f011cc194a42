. "$DATA/../cli/record/common"
start_mock
# ask_as HEADER...: the status of the recorder's and the mock's answers to a request with these headers
cat >ask_as <<'END'
#!/usr/bin/env bash
for to in "$TRACKWAY_PROXY" "$MOCK"; do
	host=${to#http://}
	exec 3<>"/dev/tcp/${host%:*}/${host#*:}" || exit 1
	printf 'GET /v1/models HTTP/1.1\r\nConnection: close\r\n' >&3
	printf '%s\r\n' "${@//PORT/${host#*:}}" "" >&3
	read -r _ status _ <&3
	printf '%s ' "$status"
	sed -n 's/.*"message":"\([^"]*\)".*/\1/p' <&3 >said_there
done
echo "$*"
END
chmod +x ask_as
MOCK=$url record -o run --upstream "openai=$url/v1" --allow-host box -- sh -c '
	./ask_as "Host: 127.0.0.1:PORT"
	./ask_as "Host: localhost:PORT"
	./ask_as "Host: [::1]:PORT"
	./ask_as "Host: box:PORT"
	./ask_as "Host: evil.example:PORT"
	cat said_there
	./ask_as "Host: 127.0.0.1:1"
	./ask_as "Host: 127.0.0.1:PORT" "Origin: http://evil.example"
	cat said_there'
grep -o '"other_requests": *[0-9]*' run/meta.json
