. "$DATA/../cli/ledger/common"
start
mkdir -p tree/e-1 tree/_old
record t-001 && mv t-001.json tree/e-1
record t-002 && mv t-002.json tree/_old
echo '{"role":"user"}' >tree/e-1/conversation.jsonl
masked trackway ledger add tree
