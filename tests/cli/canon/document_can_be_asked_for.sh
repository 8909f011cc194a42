printf '{"b":1,\n"a":2}\n' > odd.jsonl
trackway canon --document odd.jsonl
