# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --script "$DATA/mock/script.json" --log log.jsonl
ask '/v1/chat/completions?key=hush' '{"model":"small-1","messages":[{"role":"user","content":"hi"}]}' >answer
ask /v1/messages '{"model":"m","stream":true,"messages":[{"role":"user","content":"tools"}]}' >answer
ask /v1/messages '{"model":"m","messages":[{"role":"user","content":"fail"}]}' >answer
stop
sed -e 's/"ms":[0-9.]*/"ms":N/' -e 's/_ns":[0-9][0-9]*/_ns":N/g' log.jsonl
