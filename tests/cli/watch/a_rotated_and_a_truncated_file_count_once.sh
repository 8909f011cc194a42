# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
run
serve -q
metrics | grep '^trackway_events'
mv runs/a/agent-trace.jsonl runs/a/agent-trace.jsonl.1
node m3 model_call >runs/a/agent-trace.jsonl
until metrics | grep '^trackway_events 5'; do sleep 0.1; done
tail -n 2 runs/a/agent-trace.jsonl.1 >part
cat part >runs/a/agent-trace.jsonl.1
node m4 model_call >>runs/a/agent-trace.jsonl
until metrics | grep '^trackway_events 6'; do sleep 0.1; done
stop
