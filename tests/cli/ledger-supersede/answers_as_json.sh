. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger there
masked trackway ledger supersede t-001 t-002 --reason better --json --ledger there --force-network
