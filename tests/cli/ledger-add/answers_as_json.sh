. "$DATA/../cli/ledger/common"
start
record t-001
record t-002 's/"completeness":"complete"/"completeness":"partial"/'
record t-003 s/0.75/1.5/
masked trackway ledger add t-001.json t-002.json t-003.json --json
