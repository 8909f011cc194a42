echo '{"schema":"trackway.mock/1","rules":[{"reply":{"text":"x"},"pace":{"ttft_ms":30000}}]}' >slow.json
trackway bench load -q --target mock:m --mock-script slow.json --rate 100 --requests 2 --timeout 1 --run-id a --json=failures
