. "$DATA/../cli/ledger/common"
start_with_trials
TRACKWAY_KEYS=none masked trackway ledger head
