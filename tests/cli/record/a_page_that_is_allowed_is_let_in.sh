. "$DATA/../cli/record/common"
start_mock --allow-origin https://app.example
cat >page <<'END'
#!/usr/bin/env bash
host=${TRACKWAY_PROXY#http://}
exec 3<>"/dev/tcp/${host%:*}/${host#*:}" || exit 1
printf 'GET /v1/models HTTP/1.1\r\nConnection: close\r\nHost: %s\r\nOrigin: %s\r\n\r\n' "$host" "$1" >&3
read -r _ status _ <&3
echo "$status $1"
END
chmod +x page
record -q -o run --upstream "openai=$url/v1" --allow-origin https://app.example -- sh -c '
	./page https://app.example
	./page https://other.example'
trackway record --allow-origin app.example/x -- true
echo "exit $?"
trackway record --allow-host http://x -- true
echo "exit $?"
trackway mock --allow-host 'a b'
echo "exit $?"
