. "$DATA/../cli/report/common"
start_with_models
trackway report queue --want 0
