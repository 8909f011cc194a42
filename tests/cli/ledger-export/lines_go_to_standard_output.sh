. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger export | mask | cut -c 1-60
