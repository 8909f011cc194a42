# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --script "$DATA/mock/script.json"
for path in /v1/chat/completions /v1/messages /api/chat; do
	ask $path '{"model":"m","messages":[{"role":"user","content":"hi"}]}'
	echo
done
ask /v1/chat/completions '{"model":"m","messages":[{"role":"user","content":"fail"}]}'
echo
ask /v1/chat/completions 'no JSON'
echo
ask /nowhere '{}'
echo
stop
