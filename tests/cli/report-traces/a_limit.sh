. "$DATA/../cli/report/common"
start_with_models
trackway report traces --limit 2 --json=trials
