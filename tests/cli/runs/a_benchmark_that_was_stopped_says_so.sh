. "$DATA/../cli/runs/common"
make_runs
sed -i 's/"prompts":\[1,2,3\]/"prompts":[1,2,3,4]/' runs/b/config.json
trackway runs --kind bench
rm runs/b/summary.json
echo '{"record_type":"result","model":"tiny","input_tokens":7,"output_tokens":2}' >runs/b/results.jsonl
trackway runs --kind bench
