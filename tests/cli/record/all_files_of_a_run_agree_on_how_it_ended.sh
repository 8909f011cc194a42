. "$DATA/../cli/record/common"
# The child's exit decides: after a good call, after one that failed, after one that asked for a tool; and when a
# signal ends it.
cat >script.json <<'end'
{"schema": "trackway.mock/1", "rules": [
	{"match": {"contains": "broken"}, "fault": {"status": 500}},
	{"match": {"contains": "tool"}, "reply": {"tool_calls": [{"name": "look", "arguments": {}}]}},
	{"reply": {"text": "good"}}]}
end
start_mock --script script.json

# said DIR: what each file of it says of the end
said()
{
	trackway show "$1/agent-trace.jsonl" --json=verdict | grep -o '"verdict.*"'
	grep -o '"exit_status": *"[a-z]*"' "$1/summary.json"
	tr -d '\n' <"$1/meta.json" | grep -o '"code": [0-9a-z]*, *"signal": [0-9a-z]*'
	tail -n 1 "$1/run.otutl.jsonl" | sed -E 's/.*("status":"[a-z]+").*/run.otutl.jsonl \1/'
	for file in cassette trajectory; do
		trackway convert -q "$1/$file.jsonl" --to otutl | tail -n 1 |
			sed -E "s/.*(\"status\":\"[a-z]+\").*/$file.jsonl \\1/"
	done
}

n=0
for word in hello broken tool; do
	for end in 'exit 0' 'exit 3' "kill -TERM \$\$"; do
		n=$((n + 1))
		trackway record -q --content -o "run$n" --upstream "openai=$url/v1" -- sh -c \
			'"$0" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$1\"}]}"
			eval "$2"' "$cases/ask" "$word" "$end" >answer
		echo "== $word, $end: $?"
		said "run$n"
		trackway validate -q "run$n/run.otutl.jsonl" "run$n/agent-trace.jsonl"
	done
done
