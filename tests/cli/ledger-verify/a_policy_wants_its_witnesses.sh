. "$DATA/../cli/ledger/common"
start_with_trials
printf 'log %s\nwitness w1 %s\nquorum w1\n' "$(cat trials.vkey)" "$(cat "$DATA/ledger/witness.vkey")" >policy
masked trackway ledger verify --policy policy
printf 'log %s\nquorum none\n' "$(cat trials.vkey)" >policy
masked trackway ledger verify --policy policy --json=ok
