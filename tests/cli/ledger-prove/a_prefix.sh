. "$DATA/../cli/ledger/common"
start_with_trials
mkdir out
masked trackway ledger prove t-001 -o out/mine
ls out
