. "$DATA/../cli/ledger/common"
start
record t-001
masked trackway ledger add t-001.json --require-files
code=$?
trackway ledger log --json=size
exit $code
