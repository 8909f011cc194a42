mkdir model
echo '{"architectures": ["A"], "run_id": "x", "targets": [], "prompts": []}' >model/config.json
cp "$DATA/bench/valid.results.jsonl" model/calls.jsonl
trackway validate model -v 2>&1 | sed 's/ (.* ms)$//'
