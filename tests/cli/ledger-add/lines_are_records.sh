. "$DATA/../cli/ledger/common"
start
record t-001
record t-002
record t-003 s/0.75/1.5/
{ cat t-001.json; echo; cat t-002.json t-003.json; } >all.jsonl
masked trackway ledger add all.jsonl
