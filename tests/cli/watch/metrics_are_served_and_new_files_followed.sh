# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
run
serve -q
metrics | grep -v -e '^#' -e _watch_
head -n 2 answer
mkdir runs/b
node m9 model_call 1 >runs/b/other.jsonl
until metrics | grep '^trackway_events 5'; do sleep 0.1; done
stop
