. "$DATA/../cli/ledger/common"
start
echo "{\"a\":1}" >other.json
masked trackway ledger add other.json
