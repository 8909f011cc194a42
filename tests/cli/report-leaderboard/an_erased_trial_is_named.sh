. "$DATA/../cli/report/common"
start_with_models
trackway -q ledger erase s-3 --reason 'on request' --force >/dev/null
trackway report leaderboard --json=erased,counts
