. "$DATA/../cli/ledger/common"
start
record t-001
masked trackway ledger add none.json t-001.json
