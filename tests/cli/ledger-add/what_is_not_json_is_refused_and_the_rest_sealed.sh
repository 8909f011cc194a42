. "$DATA/../cli/ledger/common"
start
record t-001
echo "{" >bad.json
masked trackway ledger add bad.json t-001.json
