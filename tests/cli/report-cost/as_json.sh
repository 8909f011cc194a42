. "$DATA/../cli/report/common"
start_with_models
trackway report cost --json=rows
