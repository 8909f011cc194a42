# The files that examples may name: value.json, one value, run.jsonl, a log of a run, agent-trace.jsonl, and the logs
# of two vendors, session.jsonl and chat.jsonl.
echo '{"b":1.0,"a":2}' >value.json
cp "$DATA/otutl/valid.jsonl" run.jsonl
cp "$DATA/../../doc/examples/agent-trace.jsonl" "$DATA/../../doc/examples/session.jsonl" \
	"$DATA/../../doc/examples/chat.jsonl" .
trackway --generate examples >list
[ "$(wc -l <list)" -gt 4 ] || echo 'too few examples'
while read -r line; do
	sh -c "$line" >out 2>err || {
		echo "exit $?: $line"
		cat err
	}
done <list
