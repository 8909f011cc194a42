. "$DATA/../cli/ledger/common"
start
trackway ledger list --json --plain
