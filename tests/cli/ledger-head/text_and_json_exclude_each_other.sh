. "$DATA/../cli/ledger/common"
start
trackway ledger head --text --json
