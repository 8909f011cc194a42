. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger show 7
