cat >runs.jsonl <<'X'
{"id":"6f1e1c1a-0000-4000-8000-000000000001","trace_id":"6f1e1c1a-0000-4000-8000-000000000001","run_type":"chain","name":"agent","start_time":"2026-01-01T00:00:00.000","end_time":"2026-01-01T00:00:03.000","inputs":{},"outputs":{}}
{"id":"6f1e1c1a-0000-4000-8000-000000000002","trace_id":"6f1e1c1a-0000-4000-8000-000000000001","parent_run_id":"6f1e1c1a-0000-4000-8000-000000000001","run_type":"llm","name":"m","start_time":"2026-01-01T00:00:01.000","end_time":"2026-01-01T00:00:02.000","inputs":{"messages":[]},"outputs":{"usage_metadata":{"input_tokens":7,"output_tokens":2}}}
X
python3 -c 'import json; print(json.dumps([json.loads(line) for line in open("runs.jsonl")]))' >list.json
for f in runs.jsonl list.json; do
	trackway convert $f --to otutl --no-cost --no-digest -q | grep -o '"type":"[a-z_]*"\|"tokens_in":[0-9]*' | sort | uniq -c | tr -s ' '
done
