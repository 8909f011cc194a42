. "$DATA/../cli/ledger/common"
start_with_trials
plant 2 t-009
masked trackway ledger verify
record t-004
masked trackway ledger add t-004.json
masked trackway ledger list
masked trackway ledger fsck --drop-pending
masked trackway ledger add t-004.json
masked trackway ledger verify
