. "$DATA/../cli/report/common"
start
trial a-1 0.0 m-a t/1
trial a-2 1.0 m-a t/1 "$(ours '"regrade_of":"a-1"')"
trackway -q ledger add a-1.json a-2.json >/dev/null
trackway report leaderboard --csv | cut -d, -f 2,5,11
trackway report leaderboard --json=counts
