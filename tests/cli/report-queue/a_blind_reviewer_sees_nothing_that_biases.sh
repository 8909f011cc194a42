. "$DATA/../cli/report/common"
start_with_models
reviews s-5 ana pass
reviews s-4 ben fail
trackway report queue --model m-small --reviewer ana --blind --limit 3
