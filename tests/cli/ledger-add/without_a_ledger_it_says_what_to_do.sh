. "$DATA/../cli/ledger/common"
record t-001
trackway ledger add t-001.json
