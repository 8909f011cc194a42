. "$DATA/../cli/report/common"
start_with_models
trackway report compare m-large model=m-large
