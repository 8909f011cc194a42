. "$DATA/../cli/ledger/common"
start
cp -r "$DATA/bench/run" one
cp -r "$DATA/bench/run" two
echo '{"os":"other"}' >two/inventory.json
masked trackway ledger add one two
