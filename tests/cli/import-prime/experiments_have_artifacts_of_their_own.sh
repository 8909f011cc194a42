. "$DATA/../cli/import/common"
sed 's/"content": "/&Otherwise: /' "$EXAMPLES/prime-samples.json" >other.json
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" --experiment one
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples other.json --experiment '../../two'
cd ledger/diagnostic || exit
find records artifacts -type f | LC_ALL=C sort
sed -n 's/.*_path": "\(artifacts.*\)",/\1/p' records/*/*.json | xargs grep -c Otherwise
