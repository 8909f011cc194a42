# Usage errors, each with what to type.
mkdir empty
for words in '--batch empty' '--batch empty -- true' '--batch absent/place -- true' '--batch . --max-age soon -- true' \
	'--batch . --same-as absent/file -- true' '--batch . --json=verdict -- true' '--batch tag:none=such -- true'; do
	echo "replay $words"
	# shellcheck disable=SC2086
	trackway replay $words 2>&1
	echo "exit $?"
done
