. "$DATA/../cli/report/common"
start_with_models
trackway report leaderboard --since 2026-03-13T10:00:01Z --json=counts
