. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger elsewhere
trackway ledger export --ledger elsewhere | wc -l
