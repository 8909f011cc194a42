. "$DATA/../cli/report/common"
start
trackway report leaderboard --since yesterday
