. "$DATA/../cli/record/common"
for end in 'exit 0' 'exit 1' 'exit 3' 'exit 255' 'kill -KILL $$' 'kill -TERM $$'; do
	trackway record -q -o "$end" -- sh -c "$end" 2>said
	echo "$end: $?"
	grep -oE '"(exit_status|error_message)":[^,]*' "$end/summary.json"
	grep -A3 '"exit"' "$end/meta.json" | tr -d ' \n' && echo
done
