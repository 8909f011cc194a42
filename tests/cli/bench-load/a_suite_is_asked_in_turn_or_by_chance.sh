cat >suite.json <<'END'
[{"id": "a", "name": "a", "prompt": "alpha {{x}}", "validator": {"type": "noop"}, "tags": ["t"]},
 {"id": "b", "name": "b", "prompt": "beta beta beta {{y}}", "validator": {"type": "noop"}, "tags": ["t"]},
 {"id": "c", "name": "c", "prompt": "gamma", "validator": {"type": "noop"}}]
END
printf 'y\n1\n' >table.csv
trackway bench load suite.json -q --target mock:echo --rate 100 --arrivals constant --requests 4 --run-id turn --tag t --var x=1 \
	--table table.csv --json=prompts
trackway bench load suite.json -q --target mock:echo --rate 100 --arrivals constant --requests 9 --run-id random --order random \
	--tag t --var x=1 --table table.csv --json=prompts | grep order
grep -c '"status":"ok"' runs/turn/requests.jsonl runs/random/requests.jsonl
