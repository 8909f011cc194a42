. "$DATA/../cli/report/common"
start_with_models
trackway report leaderboard --csv | cut -d, -f 1-20
