. "$DATA/../cli/record/common"
start_mock
XDG_RUNTIME_DIR=$PWD
export XDG_RUNTIME_DIR
: >addresses
trackway record --listen 127.0.0.1:0 --idle 600 --keep 30d -o all --tag task=demo --upstream "openai=$url/v1" >addresses 2>said &
recorder=$!
while ! grep -q CLOUD addresses; do
	sleep 0.02
done
grep -E 'OPENAI|ANTHROPIC' addresses | stable
. ./addresses
ask()
{
	RUN=$1 "$cases/ask" "$OPENAI_BASE_URL/chat/completions" \
		"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$2\"}]}" |
		sed 's/.*"content":"\([^"]*\)".*/\1/'; echo
}
ask first 'a question'
ask second 'another question'
ask first 'one more'
kill "$recorder"
wait "$recorder"
echo "status $?"
stable <said
trackway show tag:run=second | grep -c 'model'
for trace in all/*/agent-trace.jsonl; do
	nodes "$trace"
done | sort | uniq -c | sed 's/^ *//'
trackway validate all | stable | sed 's/([0-9]* ms)/(TIME)/'
grep -h '"listened"\|"task"\|"run"' all/*/meta.json | sort
