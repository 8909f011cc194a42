# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
run
trackway watch runs --once --json=events,tool_calls
