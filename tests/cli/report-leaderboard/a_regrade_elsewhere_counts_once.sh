. "$DATA/../cli/report/common"
start
trial a-1 0.0 m-a t/1
trial a-2 1.0 m-a t/1 "$(ours '"regrade_of":"a-1"'); s/e-1/e-1-regraded/"
trial b-1 1.0 m-b t/1 "$(ours '"regrade_of":"a-1"')"
trackway -q ledger add a-1.json a-2.json b-1.json >/dev/null
trackway report leaderboard --csv | cut -d, -f 2,5,11
trackway report leaderboard --experiment e-1 --csv | cut -d, -f 2,5,11
trackway report compare experiment=e-1,model=m-a experiment=e-1-regraded --csv | cut -d, -f 1-5
