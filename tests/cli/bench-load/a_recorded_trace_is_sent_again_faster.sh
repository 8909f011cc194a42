cp "$DATA/../../doc/examples/agent-trace.jsonl" .
trackway bench load -q --target mock:echo --schedule agent-trace.jsonl --speed 1000 --run-id a --json=arrivals
grep -c '"status":"ok"' runs/a/requests.jsonl
grep -c '"kind":"model_call"' agent-trace.jsonl
