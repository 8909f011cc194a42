. "$DATA/../cli/report/common"
start
trackway report leaderboard --md --csv
