printf '{"b":1,"a":2}\n' > run.jsonl
gzip -k run.jsonl
trackway canon run.jsonl.gz
