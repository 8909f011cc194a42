cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert chat.jsonl --to otutl --coverage --coverage-json cover.json -o out.jsonl
tr ',' '\n' <cover.json | grep -e schema -e '"from"' -e '"records"' -e '"dropped"' | head -5
