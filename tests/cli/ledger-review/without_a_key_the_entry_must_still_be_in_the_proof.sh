. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger prove t-001 -o t >/dev/null
masked trackway ledger review --proof t.tlog-proof --entry t.entry --judgment pass --reviewer ana -o r.json
sed 's/t-001/t-009/g' t.entry >forged.entry
masked trackway ledger review --proof t.tlog-proof --entry forged.entry --judgment pass --reviewer ana -o forged.json
status=$?
ls r.json forged.json 2>/dev/null
exit $status
