echo '{"schema":"trackway.mock/1","rules":[{"reply":{"text":"x"},"pace":{"ttft_ms":600}}]}' >slow.json
trackway bench load -q --target mock:m --mock-script slow.json --rate 1000 --arrivals constant --requests 10 --max-open 1 --run-id a \
	--json=client | grep -E 'was_bottleneck|why'
grep -c '"status":"not_sent","failure":"max_open"' runs/a/requests.jsonl
