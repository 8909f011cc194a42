. "$DATA/../cli/ledger/common"
masked trackway ledger verify --proof "$DATA/ledger/checkpoint" --entry "$DATA/ledger/trial-4.entry" --vkey "$DATA/ledger/log.vkey"
