. "$DATA/../cli/ledger/common"
start
masked trackway ledger fsck --accept-pending --drop-pending
