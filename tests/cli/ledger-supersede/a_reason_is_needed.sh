. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger supersede t-001 t-002
