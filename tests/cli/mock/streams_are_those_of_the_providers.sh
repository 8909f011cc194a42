# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --script "$DATA/mock/script.json"
ask /v1/chat/completions \
	'{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"tools"}]}'
ask /v1/messages '{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"tools"}]}'
ask /v1/responses '{"model":"m","stream":true,"input":"tools"}' | grep '^event'
ask /api/chat '{"model":"m","messages":[{"role":"user","content":"tools"}]}'
ask /api/generate '{"model":"small-m","prompt":"hi"}'
stop
