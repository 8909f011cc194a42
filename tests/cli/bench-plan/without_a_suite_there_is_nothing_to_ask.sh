trackway bench plan --target mock:a
