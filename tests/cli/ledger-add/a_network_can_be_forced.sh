. "$DATA/../cli/ledger/common"
start
record t-001
masked trackway -q ledger add t-001.json --force-network
