. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger fsck --json=ok,errors,warnings --all
