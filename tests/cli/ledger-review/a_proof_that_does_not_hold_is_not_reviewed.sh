. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger prove t-001 -o t >/dev/null
trackway -q ledger prove t-002 -o u >/dev/null
masked trackway ledger review --proof t.tlog-proof --entry u.entry --vkey trials.vkey --judgment pass --reviewer ana -o r.json
