. "$DATA/../cli/ledger/common"
start_with_trials
cp -r ledger old
record t-004
trackway -q ledger add t-004.json >/dev/null
masked trackway ledger fsck --ledger old
