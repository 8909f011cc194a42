. "$DATA/../cli/report/common"
start_with_models
shown trackway report leaderboard
