. "$DATA/../cli/ledger/common"
start
masked trackway ledger verify --proof "$DATA/ledger/trial-4.tlog-proof" --entry "$DATA/ledger/trial-4.entry" --vkey trials.vkey
