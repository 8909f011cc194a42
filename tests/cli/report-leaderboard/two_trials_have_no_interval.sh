. "$DATA/../cli/report/common"
start
trial a-1 0.5 m-a t/1
trial a-2 0.7 m-a t/2
trackway -q ledger add a-?.json >/dev/null
trackway report leaderboard --json=rows | grep -o '"mean_reward_interval":[^,]*,"no_interval":[^,]*'
