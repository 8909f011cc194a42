trackway bench load -q --target mock:echo --rate 100,200 --arrivals constant --requests 3 --json=stages | grep -E '"(due|rate_wanted)":'
