. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger prove t-001 -o none/mine
