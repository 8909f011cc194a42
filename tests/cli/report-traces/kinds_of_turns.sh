. "$DATA/../cli/report-behaviour/common"
start_with_talk 1.0
trackway report traces --json=trials,classifier | masked cat
