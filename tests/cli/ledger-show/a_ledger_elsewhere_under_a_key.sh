. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger there
trackway ledger show t-001 --ledger there --vkey trials.vkey --json=id
