cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert chat.jsonl --to otutl -q | grep -o '"estimated_cost_usd":[0-9.e-]*' | head -1
trackway convert chat.jsonl --to otutl -q --no-cost | grep -c '"estimated_cost_usd":[0-9]'
echo nonsense >prices.tsv
trackway convert chat.jsonl --to otutl --prices prices.tsv
