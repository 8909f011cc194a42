. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger prove t-001 -o p
masked trackway ledger verify --proof p.tlog-proof --entry p.entry --vkey trials.vkey --record t-001.json
masked trackway ledger verify --proof p.tlog-proof --entry p.entry --vkey trials.vkey --record t-002.json
