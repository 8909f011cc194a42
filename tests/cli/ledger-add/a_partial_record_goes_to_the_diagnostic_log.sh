. "$DATA/../cli/ledger/common"
start
record t-001 's/"completeness":"complete"/"completeness":"partial"/'
masked trackway ledger add t-001.json
ls ledger ledger/diagnostic/records/e-1
