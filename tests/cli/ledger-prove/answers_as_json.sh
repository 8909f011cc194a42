. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger prove diagnostic/0 --output p --json
masked trackway ledger prove 0 --json=index --vkey trials.vkey --ledger ledger
