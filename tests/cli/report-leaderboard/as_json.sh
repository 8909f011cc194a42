. "$DATA/../cli/report/common"
start_with_models
trackway report leaderboard --json=rows,partial,infrastructure,counts | sed "s/\"datasets.*advisor//"
