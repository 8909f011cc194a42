# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --log -
ask /v1/responses '{"model":"m","input":"hi"}' >answer
stop
sed -e 's/"ms":[0-9.]*/"ms":N/' -e 's/_ns":[0-9][0-9]*/_ns":N/g' -e 's/:[0-9]*$/:PORT/' said
