. "$DATA/../cli/ledger/common"
start
record t-001
record t-002
masked trackway ledger add t-001.json t-002.json
