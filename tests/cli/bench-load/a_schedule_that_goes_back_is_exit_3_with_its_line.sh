printf '%s\n' '{"timestamp": 5, "input_length": 6}' '{"timestamp": 4, "input_length": 6}' >trace.jsonl
trackway bench load --target mock:echo --schedule trace.jsonl
