. "$DATA/../cli/ledger/common"
cp "$DATA"/ledger/trial-4.* .
chmod u+w trial-4.entry && sed -i 's/trial/tryal/' trial-4.entry
masked trackway ledger verify --proof trial-4.tlog-proof --entry trial-4.entry --vkey "$DATA/ledger/log.vkey"
masked trackway ledger verify --proof trial-4.tlog-proof --entry trial-4.entry --vkey "$DATA/ledger/log.vkey" --json=ok,problem
