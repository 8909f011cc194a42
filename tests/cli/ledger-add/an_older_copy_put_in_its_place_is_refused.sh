. "$DATA/../cli/ledger/common"
start
record t-001
record t-002
trackway -q ledger add t-001.json >/dev/null
cp -r ledger old
trackway -q ledger add t-002.json >/dev/null
rm -rf ledger && mv old ledger
masked trackway ledger add t-002.json
