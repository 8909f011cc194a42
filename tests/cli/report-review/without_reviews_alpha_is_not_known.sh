. "$DATA/../cli/report/common"
start_with_models
trackway report review --gate "alpha>=0" --json=reviews,agreement,gates
