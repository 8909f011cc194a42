. "$DATA/../cli/ledger/common"
start
record t-001 's/t-001/t\\u001b[31m/'
trackway -q ledger add t-001.json | mask
trackway ledger list
trackway ledger list --plain | cut -f 5
