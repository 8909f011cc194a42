. "$DATA/../cli/ledger/common"
start_with_trials
leaf=$(trackway ledger show t-001 --json=leaf | grep -o '[0-9a-f]\{64\}')
for name in e-1/t-001 0 main/0 diagnostic/0 "$leaf"; do
	trackway ledger show "$name" --json=part,index,id
done
