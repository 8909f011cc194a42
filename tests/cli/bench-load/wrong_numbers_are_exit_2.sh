for words in '--rate 0' '--rate 1, --duration 1s' '--rate 1 --duration 1d' '--rate 1 --speed 2' '--schedule x --speed 0' '--rate 1 --max-open 0' \
	'--rate 1 --timeout 0' '--rate 1 --input-tokens 0' '--rate 1 --target mock:two'; do
	# shellcheck disable=SC2086 # several words
	trackway bench load --target mock:echo $words 2>&1
	echo "exit $?"
done
