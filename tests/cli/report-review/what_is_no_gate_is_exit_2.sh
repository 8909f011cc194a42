. "$DATA/../cli/report/common"
start_with_models
trackway report review --gate "beauty>=1"
