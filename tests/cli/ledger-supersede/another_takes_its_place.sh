. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger supersede t-001 t-002 --reason better
masked trackway ledger supersede t-001 t-002 --reason better
trackway ledger list --json=id
