nobody()
{
	trackway bench load --target ollama_openai:m --base ollama_openai=http://127.0.0.1:1/v1 --rate 50 --requests 4 \
		--arrivals constant -q "$@"
}
nobody --run-id a >page
echo "exit $?"
# the client may or may not have been slow: its failures stand before that
grep -o 'failures: connect_error 4\|THE CLIENT' page | head -n 1
sed -n '/^## [FT]/p;/^- failures/p' runs/a/load.md
nobody --run-id b --allow-unreachable >/dev/null
echo "allowed: exit $?"
unset OPENAI_API_KEY
trackway bench load --target openai_responses:m --rate 1 --run-id c
echo "exit $?"
ls runs
