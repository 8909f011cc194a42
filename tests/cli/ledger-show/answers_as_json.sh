. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger review t-003 --judgment defer --reviewer ana >/dev/null
masked trackway ledger show t-003 --json
