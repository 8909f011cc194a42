. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger erase t-001 --reason 'on request' --force >/dev/null
masked trackway ledger show t-001
masked trackway ledger show t-001 --only record
