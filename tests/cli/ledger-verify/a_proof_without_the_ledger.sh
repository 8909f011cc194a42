. "$DATA/../cli/ledger/common"
cp "$DATA"/ledger/trial-4.* .
masked trackway ledger verify --proof trial-4.tlog-proof --entry trial-4.entry --vkey "$(cat "$DATA/ledger/log.vkey")"
masked trackway ledger verify --proof trial-4.tlog-proof --entry trial-4.entry --vkey "$DATA/ledger/log.vkey" --json
masked trackway ledger verify --proof trial-4.tlog-proof --entry trial-4.entry --policy "$DATA/ledger/policy"
