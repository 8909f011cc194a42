cp "$DATA/inspect/log.json" .
COLUMNS=110 trackway show log.json
trackway show log.json --run 2 --json=trace_id,format,verdict
trackway show log.json --run 6f84f14b --json=trace_id,format,verdict
trackway show log.json --jsonl -q | grep -c run_id
trackway show log.json --run nothing
