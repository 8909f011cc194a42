. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger prove t-404
