. "$DATA/../cli/record/common"
record -q --tag task=refund --tag 'note=a "b" = c' --tag bare -o one -- true 2>said
record -q --tag task=other -o two -- true 2>said
sed -n '/"tags"/,/}/p' one/meta.json
trackway show tag:task=refund | grep -o '[a-z]*/agent-trace.jsonl'
trackway show tag:bare | grep -o '[a-z]*/agent-trace.jsonl'
record --tag =refund -- touch started
