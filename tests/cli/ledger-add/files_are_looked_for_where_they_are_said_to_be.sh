. "$DATA/../cli/ledger/common"
start
record t-001
mkdir -p elsewhere/out
echo a >elsewhere/out/raw.txt
masked trackway ledger add - --files-from elsewhere <t-001.json
trackway ledger log --json=kind,id
