# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
for run in 1 2; do
	serve -q --script "$DATA/mock/script.json"
	for path in /v1/chat/completions /v1/messages /api/chat /v1/chat/completions; do
		ask $path '{"model":"m","stream":true,"messages":[{"role":"user","content":"tools"}]}'
	done >answers.$run
	ask /v1/embeddings '{"input":["a","b"],"dimensions":8}' >>answers.$run
	stop
done
cmp answers.1 answers.2 && [ -s answers.1 ]
