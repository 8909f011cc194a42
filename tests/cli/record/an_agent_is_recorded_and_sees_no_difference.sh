. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
record --upstream "openai=$url/v1" -- "$cases/agent"
echo "exit $?"
nodes runs/*/agent-trace.jsonl
ls runs/*
trackway validate --strict runs/*/agent-trace.jsonl | stable
trackway show @last >shown && grep -c 'get_weather' shown
