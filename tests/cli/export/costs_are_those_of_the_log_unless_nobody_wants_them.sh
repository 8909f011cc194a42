cp "$DATA/../../doc/examples/session.jsonl" .
cost() {
	trackway export session.jsonl --format csv "$@" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "estimated_cost_usd") c = i }
		NR > 1 { sum += $c }
		END { print sum }'
}
cost
cost --no-cost
printf "anthropic\tclaude-sonnet-4-5-20250929\t2025-01-01\t-\t1000\t1000\t1000\t1000\t1000\n" >prices
cost --prices prices
echo x >prices
trackway export session.jsonl --format csv --prices prices
