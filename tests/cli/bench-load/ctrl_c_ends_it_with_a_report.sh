echo '{"schema":"trackway.mock/1","rules":[{"reply":{"text":"x"},"pace":{"ttft_ms":30000}}]}' >slow.json
timeout --preserve-status -s INT 1 trackway bench load -q --target mock:m --mock-script slow.json --rate 50 --run-id a --json=completed
status=$?
grep -c '"schema": "trackway.bench-load/1"' runs/a/load.json
grep -o 'stopped by a signal' runs/a/load.md
exit $status
