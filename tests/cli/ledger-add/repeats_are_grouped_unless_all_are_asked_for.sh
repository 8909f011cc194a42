. "$DATA/../cli/ledger/common"
start
echo "{\"task\":{}}" >a.json
masked trackway ledger add a.json 2>&1 | grep -c TR006
masked trackway ledger add a.json --all 2>&1 | grep -c TR006
