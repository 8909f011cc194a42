# Usage errors, each with what to type.
for words in '' '-- true' 'run' 'a b -- true' '--chunking pieces . -- true' '--timing fast . -- true' 'absent/run -- true' '--from 3 . -- true' \
	'--live model --from x . -- true' '--update --live model . -- true' '--status --pin .' '--max-age 1d . -- true' \
	'--limit 1 . -- true' '--status . -- true' \
	'--pin --ledger absent .'; do
	echo "replay $words"
	# shellcheck disable=SC2086
	trackway replay $words 2>&1
	echo "exit $?"
done
