. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger show t-003
cmp t-003.json ledger/diagnostic/records/e-1/t-003.json
