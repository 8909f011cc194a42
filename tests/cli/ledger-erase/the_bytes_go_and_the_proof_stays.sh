. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger prove t-001
masked trackway ledger erase t-001 --reason 'on request' --force
ls ledger/records
trackway ledger verify --proof t-001.tlog-proof --entry t-001.entry --vkey trials.vkey --json=ok
trackway ledger verify --json=ok
masked trackway ledger add t-001.json
