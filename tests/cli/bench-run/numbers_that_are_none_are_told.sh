. "$(dirname "$0")/common"
for o in '--concurrency many' '--concurrency 0' '--temperature hot' '--repeat 0' '--timeout 0' '--retries 1000' '--budget-usd much' \
	'--budget-usd 1' '--base mock' '--base nobody=x' '--key-file mock=nowhere' '--header-file nowhere' '--var word' '--fail-under much'; do
	# shellcheck disable=SC2086 # an option and its value
	trackway bench run "$suite" --target mock:m $o
	echo "exit $?"
done
