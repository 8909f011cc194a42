cat >runs.py <<'X'
import json

one, two = "6f1e1c1a-0000-4000-8000-000000000001", "6f1e1c1a-0000-4000-8000-000000000002"
at = "2026-01-01T00:00:0%d.000"
runs = [
    {"id": one, "trace_id": one, "run_type": "chain", "name": "agent", "start_time": at % 0, "end_time": at % 3, "inputs": {}},
    {"id": two, "trace_id": one, "parent_run_id": one, "run_type": "llm", "name": "m", "start_time": at % 1, "end_time": at % 2,
     "inputs": {"messages": []}, "outputs": {"usage_metadata": {"input_tokens": 7, "output_tokens": 2}}},
]
with open("runs.jsonl", "w") as f:
    f.writelines(json.dumps(r) + "\n" for r in runs)
with open("list.json", "w") as f:
    f.write(json.dumps(runs) + "\n")
X
python3 runs.py
for f in runs.jsonl list.json; do
	trackway convert $f --to otutl --no-cost --no-digest -q | grep -o '"type":"[a-z_]*"\|"tokens_in":[0-9]*' | sort | uniq -c | tr -s ' '
done
