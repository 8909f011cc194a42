. "$DATA/../cli/ledger/common"
start_with_trials
mv ledger there
masked trackway ledger log --ledger there --vkey "$(cat trials.vkey)" --json=id
