. "$DATA/../cli/ledger/common"
start
trackway ledger show a --json --only entry
