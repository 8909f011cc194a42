. "$DATA/../cli/ledger/common"
start
trackway validate ledger --as ledger
