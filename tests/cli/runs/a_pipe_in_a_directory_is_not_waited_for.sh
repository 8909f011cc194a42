mkdir -p bad/r1
echo '{"schema":"trackway.bench-config/1","run_id":"r1","prompts":[],"targets":[],"suites":[]}' >bad/r1/config.json
mkfifo bad/r1/results.jsonl
timeout 10 trackway runs bad --json=name,verdict
