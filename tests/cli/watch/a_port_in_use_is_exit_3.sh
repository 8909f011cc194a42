# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
mkdir runs
serve -q
trackway watch runs --listen "${url#http://}" 2>err
status=$?
sed 's/port [1-9][0-9]*/port PORT/' err
stop
exit $status
