. "$DATA/../cli/ledger/common"
start
record t-001
record t-002
record t-003
masked trackway ledger add - <t-001.json
trackway ledger show t-001 --only record | cmp - t-001.json
cat t-002.json t-003.json | masked trackway ledger add
trackway ledger show t-002 --only record | wc -l
