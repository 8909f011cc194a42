. "$DATA/../cli/ledger/common"
start
record t-001
record t-003 s/0.75/1.5/
masked trackway ledger add t-001.json t-003.json --jsonl
