. "$DATA/../cli/report-behaviour/common"
start_with_talk 1.0
trackway report behaviour --json=rows,transitions,classifier | masked cat
shown trackway report behaviour
