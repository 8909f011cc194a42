. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger supersede t-001 t-003 --reason better
