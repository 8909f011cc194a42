cat >trace.jsonl <<'END'
{"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
{"timestamp": 10, "input_length": 600, "output_length": 5, "hash_ids": [1, 3]}
{"timestamp": 20, "input_length": 2000000000, "hash_ids": []}
END
trackway bench load --target mock:echo --schedule trace.jsonl --requests 2 --run-id a --json=arrivals
grep -c '"status":"ok"' runs/a/requests.jsonl
