. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger show t-001 --only record | cmp - t-001.json
trackway ledger show t-001 --only entry | mask
echo
