. "$DATA/../cli/report/common"
start_with_models
trackway report compare m-large m-small --task civil/t-1 --json=tests,outcomes,sides
