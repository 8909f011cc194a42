. "$DATA/../cli/ledger/common"
start
trackway ledger list --task a --task-prefix b
