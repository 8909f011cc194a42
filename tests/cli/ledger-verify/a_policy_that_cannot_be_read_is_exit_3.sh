. "$DATA/../cli/ledger/common"
start_with_trials
echo nonsense >policy
trackway ledger verify --policy policy
