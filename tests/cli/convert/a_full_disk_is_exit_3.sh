cp "$DATA/../../doc/examples/session.jsonl" .
trackway convert session.jsonl --to otutl >/dev/full
