. "$DATA/../cli/report/common"
start
trial a-1 0.9996 m-large civil/t-1
trackway -q ledger add ./a-1.json >/dev/null
trackway report leaderboard --html page.html --json=rows | grep -o '"mean_reward":[0-9.]*'
grep -c '1[.]000' page.html
grep -o '<b>[^<]*0[.]999</b>' page.html
