. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger supersede t-001 t-002 --reason better >/dev/null
masked trackway ledger supersede t-001 t-002 --reason worse
