. "$DATA/../cli/ledger/common"
start_with_trials
for filter in '--experiment e-2' '--dataset bridges@1.2' '--task civil/beam' '--task-prefix energy/' '--adapter tool_loop' \
	'--model m-large' '--model other' '--completeness complete' '--completeness partial' '--min-reward 0.5' \
	'--max-reward 0.5' '--min-reward 0.2 --max-reward 0.3' '--part main' '--part diagnostic' \
	'--task-prefix civil --completeness complete'; do
	echo "$filter"
	# shellcheck disable=SC2086 # words, on purpose
	trackway ledger list $filter --json=id | sed 's/.*"trials"://'
done
