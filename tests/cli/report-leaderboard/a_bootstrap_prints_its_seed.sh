. "$DATA/../cli/report/common"
start_with_models
trackway report leaderboard --ci bootstrap --json=rows | grep -o '"mean_reward_interval":[^]]*]\|"seed":"[^"]*"'
