. "$DATA/../cli/record/common"
start_mock
# Addresses stay as the user has them, and the file with the certificates is gone at the end.
record -o run --intercept --upstream "openai=$url/v1" -- sh -c '
	"$0" api.openai.com:443 /v1/chat/completions '"'"'{"model":"m","messages":[{"role":"user","content":"canary"}]}'"'"' |
		grep -o "^200\|chat.completion"
	echo "${OPENAI_BASE_URL-unset} ${NO_PROXY-unset} $NODE_USE_ENV_PROXY"
	[ "$SSL_CERT_FILE" = "$PWD/run/interception.pem" ] && grep -c "PRIVATE" "$SSL_CERT_FILE"
	ls -l run/interception.pem | cut -c1-10' "$cases/through"
ls run
nodes run/agent-trace.jsonl
grep -c canary run/*
trackway validate --strict --secrets run/agent-trace.jsonl
