printf '{"b":1,"a":2}\n\n[3.0]\r\n"x"' > run.jsonl
trackway canon run.jsonl
