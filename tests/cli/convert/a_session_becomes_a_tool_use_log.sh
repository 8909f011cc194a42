cp "$DATA/../../doc/examples/session.jsonl" .
trackway convert session.jsonl --to otutl -o run.otutl.jsonl
trackway validate run.otutl.jsonl -q && cat run.otutl.jsonl
