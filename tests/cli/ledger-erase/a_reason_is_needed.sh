. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger erase t-001 --force
