. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
CANARY=canary-variable record -q --upstream "openai=$url/v1" -- sh -c '"$0/agent"' "$cases" canary-argument
grep -rlE 'canary|Let me look|Lisbon|hidden-key' runs home
grep -rhc get_weather runs/*/agent-trace.jsonl # the name of a tool is no content
