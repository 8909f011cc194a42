. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger there
trackway ledger list --ledger there --vkey trials.vkey --json=id
TRACKWAY_LEDGER=there trackway ledger list --json=id
