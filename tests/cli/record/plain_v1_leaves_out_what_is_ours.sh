. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
record -q -o full --upstream "openai=$url/v1" -- "$cases/agent"
kill "$mock"
wait "$mock"
start_mock --script "$DATA/../../doc/examples/mock.json"
record -q -o plain --plain-v1 --upstream "openai=$url/v1" -- "$cases/agent"
for run in full plain; do
	grep -o '"[a-z_]*":' $run/agent-trace.jsonl | LC_ALL=C sort -u >$run.names
done
echo 'only without --plain-v1:'
LC_ALL=C comm -23 full.names plain.names
echo 'only with it:'
LC_ALL=C comm -13 full.names plain.names
trackway validate --strict plain/agent-trace.jsonl
