. "$DATA/../cli/ledger/common"
start_with_trials
chmod u+w ledger/records/e-1/t-001.json && echo >>ledger/records/e-1/t-001.json
masked trackway ledger show t-001
masked trackway ledger show t-001 --only record
