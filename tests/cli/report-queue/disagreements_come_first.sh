. "$DATA/../cli/report/common"
start_with_models
reviews s-5 ana pass
reviews s-5 ben fail
reviews s-4 ana pass
trackway report queue --model m-small
