. "$(dirname "$0")/common"
trackway bench run "$suite" --target mock:limited --mock-script "$script" --run-id r --retry-delay 5 --retries 2 --concurrency 1 \
	--timeout 20 --warmup 1 -q >/dev/null
python3 -c '
import json
for r in map(json.loads, open("runs/r/results.jsonl")):
    print(r["prompt_id"], r["availability_status"], r["attempts"])
print(sorted({json.loads(line)["event"] for line in open("runs/r/events.jsonl")}))'
