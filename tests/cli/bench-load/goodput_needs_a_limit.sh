trackway bench load --target mock:echo --rate 100 --fail-under 'goodput>=90%'
