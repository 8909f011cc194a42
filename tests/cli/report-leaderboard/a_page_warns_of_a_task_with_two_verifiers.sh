. "$DATA/../cli/report/common"
start
trial a-1 1.0 m-large civil/t-1 "$(ours '"lock":{"verifier_sha256":"aa"}')"
trial b-1 0.5 m-small civil/t-1 "$(ours '"lock":{"verifier_sha256":"bb"}')"
trackway -q ledger add ./?-1.json >/dev/null
trackway report leaderboard --html page.html --json=rows | grep -o '"mixed_tasks":[0-9]*'
grep -o 'The trials of 1 tasks[^.]*' page.html
trackway report compare m-large m-small --json=outcomes | grep -o '"mixed_tasks":[0-9]*'
