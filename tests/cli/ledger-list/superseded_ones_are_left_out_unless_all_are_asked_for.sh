. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger supersede e-2/t-002 t-001 --reason better >/dev/null
trackway ledger list
trackway ledger list --all
