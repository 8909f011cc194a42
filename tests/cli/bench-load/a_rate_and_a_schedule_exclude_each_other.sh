trackway bench load --target mock:echo --rate 1 --schedule x.jsonl
