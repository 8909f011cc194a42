echo '{"schema":"trackway.mock/1","rules":[{"reply":{"text":"x"},"pace":{"ttft_ms":30000}}]}' >slow.json
# The shell starts background programs deaf to SIGINT; timeout passes it on to one that hears it, once (--foreground).
timeout --foreground --preserve-status 600 trackway bench load -q --target mock:m --mock-script slow.json --rate 50 --run-id a --json=completed &
until [ -e runs/a/requests.jsonl ] || ! kill -0 $!; do sleep 0.05; done
sleep 0.3
kill -INT $!
wait $!
status=$?
grep -c '"schema": "trackway.bench-load/1"' runs/a/load.json
grep -o 'stopped by a signal' runs/a/load.md
exit $status
