# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q
ask /v1/chat/completions '{"model":"m","messages":[{"role":"user","content":"say this"}]}'
echo
ask /v1/messages '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","content":"and that"}]}]}'
echo
stop
