. "$DATA/../cli/report/common"
start_with_models
trackway report summary --task civil/t-1 --json=experiments,tasks,counts
