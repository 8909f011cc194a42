. "$DATA/../cli/ledger/common"
start_with_trials
printf '{"hello": 1}' >entry
old_frame 2 entry >ledger/.state/wal
masked trackway ledger fsck --accept-pending
echo "$?"
masked trackway -q ledger fsck --drop-pending
echo "$?"
