trackway bench load -q --target mock:echo --rate 100 --requests 2 --fail-under 'error_rate<=1%' --json=failures
