. "$DATA/../cli/ledger/common"
start_with_trials
cp ledger/checkpoint old
record t-004
trackway -q ledger add t-004.json >/dev/null
masked trackway ledger verify --against old
