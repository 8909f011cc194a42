. "$DATA/../cli/ledger/common"
start
record t-001 's/"completeness":"complete"/"completeness":"partial"/'
record t-002 's/"reward":0.75/"reward":2/'
masked trackway -q ledger add t-001.json t-002.json
