. "$DATA/../cli/report/common"
start_with_models
chmod u+w ledger/records/e-1/l-1.json
sed s/1.0/0.0/ ledger/records/e-1/l-1.json >changed
cat changed >ledger/records/e-1/l-1.json
trackway report leaderboard
