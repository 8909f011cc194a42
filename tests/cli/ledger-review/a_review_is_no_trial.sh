. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger review t-001 --judgment pass --reviewer ana >/dev/null
trackway ledger review 2 --judgment pass --reviewer ana
