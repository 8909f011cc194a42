. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger prove t-001
head -n 2 t-001.tlog-proof
mask <t-001.entry
