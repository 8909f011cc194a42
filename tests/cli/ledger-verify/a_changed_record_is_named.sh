. "$DATA/../cli/ledger/common"
start_with_trials
chmod u+w ledger/records/e-1/t-001.json && echo >>ledger/records/e-1/t-001.json
masked trackway ledger verify
