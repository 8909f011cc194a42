. "$DATA/../cli/ledger-witness/common"
start_with_trials
witness bob --knows trials.vkey
dismiss
trackway ledger cosign --witness "$url" --witness-vkey "$witness_vkey" --force-network 2>err
status=$?
sed -E 's/:[0-9]+:/:PORT:/' err >&2
exit $status
