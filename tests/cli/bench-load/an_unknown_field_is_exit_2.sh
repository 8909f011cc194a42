trackway bench load --target mock:echo --rate 1 --json=nothing
