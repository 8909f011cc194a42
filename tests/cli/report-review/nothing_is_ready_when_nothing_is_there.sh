. "$DATA/../cli/report/common"
start_with_models
trackway report review --gate "open<=0" --experiment e-2 --json=gates
