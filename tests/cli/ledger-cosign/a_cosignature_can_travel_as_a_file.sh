. "$DATA/../cli/ledger-witness/common"
start_with_trials
witness bob --knows trials.vkey
dismiss
TRACKWAY_KEYS=bob.keys trackway ledger cosign --key bob.keys/*.key --vkey trials.vkey >line
echo "signed: $?"
cut -d ' ' -f 2 line
trackway ledger cosign --add line --witness-vkey "$witness_vkey" | sed -E 's/at .*/at TIME/'
trackway ledger head | grep signed
