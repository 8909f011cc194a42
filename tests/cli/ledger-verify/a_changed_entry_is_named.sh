. "$DATA/../cli/ledger/common"
start_with_trials
chmod u+w ledger/tile/entries/000.p/2 && sed -i 's/e-2/e-9/' ledger/tile/entries/000.p/2
masked trackway ledger verify
