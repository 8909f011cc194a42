# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
mkdir runs
serve
stop
sed 's/:[0-9]*$/:PORT/' said
sed 's/:[0-9]*\/metrics/:PORT\/metrics/' complained
