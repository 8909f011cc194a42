. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger there
masked trackway ledger erase t-003 --reason "on request" --force --json --ledger there --force-network
