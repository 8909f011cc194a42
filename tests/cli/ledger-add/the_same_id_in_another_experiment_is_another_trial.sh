. "$DATA/../cli/ledger/common"
start
record t-001
trackway -q ledger add t-001.json >/dev/null
record t-001 s/e-1/e-2/
masked trackway ledger add t-001.json
