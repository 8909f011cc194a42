echo '{"schema":"trackway.mock/1","rules":[{"reply":{"text":"x"},"fault":{"status":500}}]}' >bad.json
trackway bench load -q --target mock:m --mock-script bad.json --rate 100 --requests 2 \
	--allow-unreachable --fail-under 'error_rate<=1%' --json=thresholds
