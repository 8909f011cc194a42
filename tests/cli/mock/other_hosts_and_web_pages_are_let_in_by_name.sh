# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
# status HEADER...: of the answer to a request with these headers
status()
{
	# shellcheck disable=SC2016 # for bash to expand
	bash -c 'port=$1; shift
		exec 3<>"/dev/tcp/127.0.0.1/$port" && printf "GET /v1/models HTTP/1.1\r\nConnection: close\r\n" >&3 &&
		printf "%s\r\n" "${@//PORT/$port}" "" >&3 && read -r _ status _ <&3 && echo "$status $*"' status "${url##*:}" "$@"
}
serve -q --allow-host box --allow-origin https://app.example
status 'Host: localhost:PORT'
status 'Host: box'
status 'Host: other'
status 'Host: localhost:PORT' 'Origin: https://app.example'
status 'Host: localhost:PORT' 'Origin: https://other.example'
stop
