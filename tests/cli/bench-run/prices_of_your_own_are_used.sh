. "$(dirname "$0")/common"
printf 'mock\tgood\t2020-01-01\t-\t1000\t2000\t-\t-\t-\n' >prices.tsv
good --prices prices.tsv --tag facts --run-id r -q >/dev/null
grep -o '"cost_usd".*' runs/r/results.jsonl
good --prices nowhere
