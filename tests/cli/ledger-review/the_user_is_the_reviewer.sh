. "$DATA/../cli/ledger/common"
start_with_trials
USER=ben masked trackway ledger review t-001 --judgment pass
