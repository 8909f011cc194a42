# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q
for path in /chat/completions /v1/chat/completions /messages /v1/messages; do
	ask $path '{"model":"m","messages":[{"role":"user","content":"hi"}]}' | grep -o '"error":{.*}\|"content":[^}]*}'
done
ask /models/g:generateContent '{"contents":[{"parts":[{"text":"hi"}]}]}'
echo
ask /openai/deployments/d/chat/completions?api-version=1 '{"messages":[{"role":"user","content":"hi"}]}' | grep -o '"content":"hi"'
stop
