trackway bench load --target mock:echo --schedule none.jsonl
