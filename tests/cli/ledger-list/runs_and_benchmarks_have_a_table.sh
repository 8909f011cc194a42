. "$DATA/../cli/ledger/common"
start_with_trials
cp -r "$DATA/bench/run" one
trackway -q ledger add one >/dev/null
trackway ledger list
trackway ledger list --kind bench
trackway ledger list --kind bench --json=run_id,tokens_in,estimated_cost_usd
trackway ledger list --jsonl | wc -l
trackway ledger list --model m-large | tail -n 1
