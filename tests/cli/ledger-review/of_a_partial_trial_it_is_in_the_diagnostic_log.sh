. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger review t-003 --judgment defer --reviewer ana --json
