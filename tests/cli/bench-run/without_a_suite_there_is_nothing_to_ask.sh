trackway bench run --target mock:m
