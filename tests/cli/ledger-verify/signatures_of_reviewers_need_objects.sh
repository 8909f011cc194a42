. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger verify --reviewer-key trials.vkey --no-objects
