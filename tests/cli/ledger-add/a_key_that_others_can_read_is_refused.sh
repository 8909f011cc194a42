. "$DATA/../cli/ledger/common"
start
record t-001
chmod 644 keys/*.key
masked trackway ledger add t-001.json
