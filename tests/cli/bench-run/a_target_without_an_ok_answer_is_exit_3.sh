. "$(dirname "$0")/common"
nobody()
{
	trackway bench run "$suite" --target ollama_openai:m --base ollama_openai=http://127.0.0.1:1/v1 --retries 0 -q "$@" \
		>/dev/null
}
nobody --target mock:echo --run-id a
echo "exit $?"
nobody --run-id b --allow-unreachable
echo "allowed: exit $?"
trackway bench run --resume b -q >/dev/null
echo "gone on with: exit $?"
nobody --run-id c --allow-unreachable --fail-under 'pass_rate>=50%'
