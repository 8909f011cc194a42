. "$(dirname "$0")/common"
unset OPENAI_API_KEY
trackway bench run "$suite" --target openai_responses:m --run-id r -q
echo "exit $?"
ls
trackway bench run "$suite" --target openai_responses:m --run-id r -q --allow-unreachable >/dev/null
echo "exit $?"
grep -o '"auth_error"\|openai_api_key_missing' runs/r/results.jsonl | sort | uniq -c | sed 's/^ *//'
