. "$DATA/../cli/ledger/common"
start
trackway ledger publish out
