. "$(dirname "$0")/common"
good --run-id r >/dev/null 2>err || cat err
python3 -c '
import json
for line in sorted(open("runs/r/results.jsonl"), key=lambda l: json.loads(l)["prompt_id"]):
    row = json.loads(line)
    print({k: v for k, v in row.items() if not k.endswith("_ms")})'
ls runs/r
