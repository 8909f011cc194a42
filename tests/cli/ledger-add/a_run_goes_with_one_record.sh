. "$DATA/../cli/ledger/common"
start
record t-001
record t-002
cp "$DATA/otutl/valid.jsonl" run.jsonl
masked trackway ledger add t-001.json t-002.json --run run.jsonl
status=$?
trackway ledger list
exit $status
