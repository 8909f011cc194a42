. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger head --text
trackway ledger head --text >head.txt && head -n 3 ledger/checkpoint | cmp - head.txt
