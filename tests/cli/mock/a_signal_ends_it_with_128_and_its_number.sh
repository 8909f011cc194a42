# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q
kill "$server"
wait "$server"
