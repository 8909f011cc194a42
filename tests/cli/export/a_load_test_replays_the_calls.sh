trackway export "$DATA/export/run.jsonl" --format mooncake -q -o run.mooncake.jsonl
trackway bench load --target mock:echo --schedule run.mooncake.jsonl --speed 1000 -q --run-id again >/dev/null
wc -l <runs/again/requests.jsonl
