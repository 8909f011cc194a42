. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger review t-001 --judgment pass --reviewer ana -o r.json
trackway -q ledger add r.json >/dev/null
sed 's/"pass"/"fail"/' r.json >other.json
masked trackway ledger add other.json
masked trackway ledger add r.json
trackway ledger verify --json=ok,warnings,findings
