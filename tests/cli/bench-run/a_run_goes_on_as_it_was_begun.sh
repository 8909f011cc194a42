. "$(dirname "$0")/common"
cp "$script" script.json
printf 'X-Team: blue\n' >headers
trackway bench run "$suite" --target mock:good --mock-script script.json --header-file headers --temperature 0.2 \
	--timeout 60 --run-id r -q >/dev/null
cut='head -n 1 runs/r/results.jsonl >kept && cp kept runs/r/results.jsonl'
eval "$cut"
trackway bench run --resume r -q >/dev/null
echo "exit $?"
grep -o '"objective_pass":[a-z]*' runs/r/results.jsonl
trackway bench run --resume r --temperature 0.20 --timeout 60 --mock-script script.json -q >/dev/null
echo "the same said again: exit $?"
grep -c blue runs/r/config.json
trackway validate -q runs/r
