# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --script "$DATA/mock/script.json"
ask /v1/chat/completions '{"model":"small-1","messages":[{"role":"user","content":"hi"}]}'
echo
ask /v1/responses '{"model":"small-1","input":"tools"}'
echo
stop
