trackway bench load -q --target mock:echo --rate 100 --requests 1 --out here --run-id one --json=run_id
trackway bench load -q --target mock:echo --rate 100 --requests 1 --out here --run-id one --json=run_id
