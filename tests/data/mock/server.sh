# For cases of tests/cli/mock: a server of one's own.

# serve [OPTION]...: starts it; $url is its address, and what it says is in ./said and ./complained
serve()
{
	rm -f said
	trackway mock "$@" >said 2>complained &
	server=$!
	until [ -s said ] || ! kill -0 "$server" 2>/dev/null; do sleep 0.02; done
	url=$(head -n 1 said)
}

# ask PATH BODY: posts it and prints the body of the answer
ask()
{
	if command -v curl >/dev/null; then
		curl -sN --noproxy '*' -H 'Content-Type: application/json' -d "$2" "$url$1"
		return
	fi
	# HTTP/1.0 has no chunks to take apart
	# shellcheck disable=SC2016 # for bash to expand
	bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "POST %s HTTP/1.0\r\nContent-Length: %s\r\n\r\n%s" "$2" "${#3}" "$3" >&3 &&
		sed "1,/^\r*\$/d" <&3' ask "${url##*:}" "$1" "$2"
}

# stop: ends it, and prints its exit status when that is not the usual one
stop()
{
	kill "$server"
	wait "$server"
	set -- $?
	[ "$1" = 143 ] || echo "exit status $1"
}
