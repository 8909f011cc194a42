# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve --listen 127.0.0.1:0
stop
sed 's/:[0-9]*$/:PORT/' said
cat complained
