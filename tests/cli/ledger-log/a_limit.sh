. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger log --limit 1
