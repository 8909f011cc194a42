trackway bench load -q --target mock:echo --rate 100 --requests 5 --slo 'ttft<=60s' --slo 'e2e<=60s' --fail-under 'goodput>=100%' \
	--json=slo,all | grep -E '"(good|of|share)":|<='
trackway bench load -q --target mock:echo --rate 100 --requests 5 --slo 'e2e<1us' --json=all | grep -E '"(good|of|share)":'
