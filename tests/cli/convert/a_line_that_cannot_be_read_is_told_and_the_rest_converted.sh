cp "$DATA/../../doc/examples/session.jsonl" .
echo '{"type":"user","mess' >>session.jsonl
trackway convert session.jsonl --to otutl -o out.jsonl
trackway validate -q out.jsonl
grep -c unreadable_line out.jsonl
