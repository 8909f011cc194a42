. "$DATA/../cli/report/common"
start
for n in 1 2 3; do
	trial "a-$n" 1.0 m-a t/1
	trial "b-$n" 0.0 m-a t/2
done
trial b-4 1.0 m-a t/2
trackway -q ledger add ./*-?.json >/dev/null
trackway report leaderboard --k 2 --json=rows | grep -o '"k":.*"pass_all_k":[^,]*'
trackway report leaderboard --json=rows | grep -o '"k":.*"pass_all_k":[^,]*'
