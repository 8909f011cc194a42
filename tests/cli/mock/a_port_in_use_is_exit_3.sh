# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q
trackway mock --listen "${url#http://}" 2>err
status=$?
sed 's/port [1-9][0-9]*/port PORT/' err
stop
exit $status
