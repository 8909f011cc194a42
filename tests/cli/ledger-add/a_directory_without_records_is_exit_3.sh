. "$DATA/../cli/ledger/common"
start
mkdir -p tree/_old && echo {} >tree/_old/a.json
masked trackway ledger add tree
