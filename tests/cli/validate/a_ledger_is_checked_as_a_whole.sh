. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway validate ledger
masked trackway validate ledger t-001.json --json=path,format,verdict,errors,warnings,events
