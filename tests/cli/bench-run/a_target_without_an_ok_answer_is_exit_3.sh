. "$(dirname "$0")/common"
nobody="--target ollama_openai:m --base ollama_openai=http://127.0.0.1:1/v1 --retries 0"
trackway bench run "$suite" $nobody --target mock:echo --run-id a -q >/dev/null
echo "exit $?"
trackway bench run "$suite" $nobody --run-id b -q --allow-unreachable >/dev/null
echo "allowed: exit $?"
trackway bench run --resume b -q >/dev/null
echo "gone on with: exit $?"
trackway bench run "$suite" $nobody --run-id c -q --allow-unreachable --fail-under 'pass_rate>=50%' >/dev/null
