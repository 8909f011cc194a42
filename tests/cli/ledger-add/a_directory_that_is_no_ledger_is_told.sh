. "$DATA/../cli/ledger/common"
record t-001
mkdir other
trackway ledger add t-001.json --ledger other
