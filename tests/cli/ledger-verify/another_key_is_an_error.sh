. "$DATA/../cli/ledger/common"
start_with_trials
TRACKWAY_KEYS=k trackway -q ledger init --origin lab.example.org/trials --ledger b >b.vkey
masked trackway ledger verify --vkey b.vkey
