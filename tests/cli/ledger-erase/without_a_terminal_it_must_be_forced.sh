. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger erase t-001 --reason "on request"
status=$?
ls ledger/records/e-1
exit $status
