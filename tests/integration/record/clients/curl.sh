# curl, as in the manuals of the services: whole, streamed, and a service that this program knows nothing of.
set -eu
heads=$(mktemp)
trap 'rm -f "$heads"' EXIT

# ask URL BODY [OPTION...]
ask()
{
	url=$1 body=$2
	shift 2
	curl -sS -D "$heads" "$@" -H 'Content-Type: application/json' -H 'Authorization: Bearer sk-none' -d "$body" "$url"
	echo
	grep -i 'request-id' "$heads" || true
}

ask "$OPENAI_BASE_URL/chat/completions" '{"model":"chat-plain","messages":[{"role":"user","content":"plain one"}]}'
ask "$OPENAI_BASE_URL/chat/completions" \
	'{"model":"chat-stream","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"stream one"}]}' -N
ask "$ANTHROPIC_BASE_URL/v1/messages" \
	'{"model":"messages-plain","max_tokens":9,"messages":[{"role":"user","content":"plain one"}]}' -H 'anthropic-version: 2023-06-01'
ask "$OPENAI_BASE_URL/no/such/path?a=b" '{"anything":[1,2,3]}'
curl -sS "$OPENAI_BASE_URL/models" -H 'Authorization: Bearer sk-none'
