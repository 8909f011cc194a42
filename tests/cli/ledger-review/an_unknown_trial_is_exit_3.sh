. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger review t-404 --judgment pass --reviewer ana
