cp "$DATA/../../doc/examples/session.jsonl" .
trackway convert session.jsonl --to otutl -q --jobs 1 >a
trackway convert session.jsonl --to otutl -q --jobs 4 >b
cmp a b && tr -d '\n' <a | sha256sum | cut -c1-64 >sum
trackway hash a --json | grep -c "$(cat sum)"
