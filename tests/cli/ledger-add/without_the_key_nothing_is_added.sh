. "$DATA/../cli/ledger/common"
start
record t-001
TRACKWAY_KEYS=none masked trackway ledger add t-001.json
