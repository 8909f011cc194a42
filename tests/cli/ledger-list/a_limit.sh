. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger list --limit 1
trackway ledger list --limit 2 --json=id
trackway ledger list --limit 0 --json=id
