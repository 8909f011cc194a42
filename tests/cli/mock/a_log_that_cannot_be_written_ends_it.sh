# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --log /dev/full
ask /v1/responses '{"model":"m","input":"hi"}' >answer
wait "$server"
echo $?
cat complained
