trackway bench load --target mock:echo
