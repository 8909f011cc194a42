. "$(dirname "$0")/common"
trackway mock -q --script "$script" >address &
mock=$!
until [ -s address ]; do sleep 0.05; done
OPENAI_API_KEY=k trackway bench run "$suite" --target openai_responses:gpt-4o --base "openai_responses=$(head -n 1 address)/v1" \
	--max-tokens 1000 --budget-usd 0.005 --concurrency 1 --run-id r -q >/dev/null
echo "exit $?"
kill $mock
wc -l <runs/r/results.jsonl
