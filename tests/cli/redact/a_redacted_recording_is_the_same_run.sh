# What was recorded has the same steps, calls, ids, usage and times once it is redacted: its trace differs only in the
# sizes of results. Another key gives the same, with other tokens.
. "$(dirname "$0")/common"
. "$DATA/../cli/record/common"

# facts FILE: its trace without sizes of results
facts()
{
	trackway convert "$1" --to agent-trace --no-digest -q | sed 's/"result_size_bytes":[0-9]*//'
}

# tokens FILE
tokens()
{
	grep -o '\[tw:[^]]*\]' "$1" | sort -u
}

start_mock --script "$DATA/../../doc/examples/mock.json"
record --content -o run --upstream "openai=$url/v1" -- "$cases/agent" >/dev/null 2>&1
cp run/cassette.jsonl recorded.jsonl
tail -c +2 "$DATA/../fuzz/corpus/read_cassette/mixed" >streams.jsonl
for name in recorded streams; do
	trackway redact $name.jsonl -o one.jsonl --keep-structure -q
	trackway redact $name.jsonl -o two.jsonl --keep-structure -q --key other
	for file in $name one two; do
		facts "$file.jsonl" >"$file.facts"
		trackway convert "$file.jsonl" --to otutl --no-digest -q |
			grep -oE '"(call_ids|call_id|step_id|stop_reason|model|usage)":("[^"]*"|\[[^]]*\]|\{[^}]*\})' >>"$file.facts"
	done
	cmp $name.facts one.facts
	cmp $name.facts two.facts
	echo "$name: $(grep -c '"kind":"model_call"' one.facts) steps, $(grep -c '"kind":"tool_call"' one.facts) calls"
	grep '^"usage"' one.facts
	tokens one.jsonl >one.tokens
	tokens two.jsonl >two.tokens
	echo "$(wc -l <one.tokens) and $(wc -l <two.tokens) tokens, $(comm -12 one.tokens two.tokens | wc -l) of them the same"
	grep -c -e canary -e Lisbon one.jsonl
done
exit 0
