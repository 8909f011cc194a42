. "$(dirname "$0")/common"
cp "$script" script.json
printf 'X-Team: blue\nX-Key: one\n' >headers
trackway bench run "$suite" --target mock:good --mock-script script.json --header-file headers --temperature 0.2 \
	--run-id r -q >/dev/null
try()
{
	trackway bench run --resume r -q "$@" 2>&1 >/dev/null | head -n 1
}
try --temperature 0.7
try --timeout 120
try --timeout 60
try --repeat 2
try --seed 1
try --no-stream
try --system hello
try --detector reference
try --concurrency 3
try --budget-usd 1
try --tag easy
try --var a=b
try --table x.csv
try --allow-commands
try --prices prices.tsv
printf 'X-Team: blue\nX-Key: two\n' >headers
try
printf 'X-Team: blue\n' >headers
try
printf 'X-Team: blue\nX-Key: one\n' >headers
echo ' ' >>script.json
try
rm script.json
try
trackway bench run --resume r -q --mock-script "$script" >/dev/null
