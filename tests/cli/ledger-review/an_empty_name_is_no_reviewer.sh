. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger review t-001 --judgment pass --reviewer ""
