. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger review t-001 --judgment pass 2>&1 | sed "s/by $(id -un)$/by ME/"
