trackway bench load -q --target mock:echo --rate 200 --arrivals constant --duration 100ms --run-id a --json=stages |
	grep -E '"(due|sent|ok|error|timeout|not_sent|given_up)":'
ls runs/a
wc -l <runs/a/requests.jsonl
head -n 1 runs/a/load.md
