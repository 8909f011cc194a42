. "$DATA/../cli/ledger/common"
start_with_trials
plant 2 t-009
masked trackway ledger fsck --accept-pending
masked trackway ledger list
