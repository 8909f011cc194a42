. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger there
masked trackway -q ledger review t-001 --judgment pass --reviewer ana --ledger there --force-network
