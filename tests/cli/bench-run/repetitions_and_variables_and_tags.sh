. "$(dirname "$0")/common"
cat >s.json <<'END'
[{"id": "a", "name": "a", "prompt": "say {{word}} to {{who}}", "validator": {"type": "contains", "values": ["{{word}}"]}, "tags": ["x"]},
 {"id": "b", "name": "b", "prompt": "nothing", "validator": {"type": "noop"}, "tags": ["y"]}]
END
printf 'who\nAna\nBo\n' >t.csv
trackway bench run s.json --target mock:m --repeat 2 --tag x --var word=hello --table t.csv --run-id r -q >/dev/null
python3 -c '
import json
for row in sorted((r["prompt_id"], r["repetition"], r["raw_output"], r["objective_pass"]) for r in map(json.loads, open("runs/r/results.jsonl"))):
    print(*row)'
trackway bench run s.json --target mock:m --tag nowhere --var word=x --var who=y
