# One log for each kind, each with what it declares in run_start.
for kind in calls tool_limit program cost tokens tool uri uri_in_result programs_listed order; do
	trackway audit "$DATA/audit/$kind.otutl.jsonl"
	echo "exit $?"
done
