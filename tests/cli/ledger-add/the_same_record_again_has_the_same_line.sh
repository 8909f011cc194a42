. "$DATA/../cli/ledger/common"
start
record t-001
trackway -q ledger add t-001.json >one
trackway -q ledger add t-001.json t-001.json >two
uniq two | cmp - one && trackway ledger add t-001.json >/dev/null
