. "$DATA/../cli/ledger/common"
start
record t-001
masked trackway ledger add t-001.json --run t-001.json
