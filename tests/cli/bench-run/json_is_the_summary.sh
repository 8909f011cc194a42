. "$(dirname "$0")/common"
good --run-id r --json=run_id,models -q >out
python3 -c '
import json
d = json.load(open("out"))
print(list(d), [(m["provider"], m["model"], m["n_total"], m["objective_pass_rate"]) for m in d["models"]])'
good --run-id s --json=nothing
