for seed in 1 1 2; do
	trackway bench load -q --target mock:echo --rate 500 --requests 5 --seed $seed --run-id r --json=seed
	sed 's/.*"due_ms":\([0-9.]*\),.*/\1/' runs/r/requests.jsonl | sort -n
	rm -r runs/r
done
