. "$DATA/../cli/report/common"
start
trackway report leaderboard | head -3
