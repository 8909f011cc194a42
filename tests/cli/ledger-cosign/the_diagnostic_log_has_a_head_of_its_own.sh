. "$DATA/../cli/ledger-witness/common"
start_with_trials
trackway ledger head --part diagnostic --json=vkey | sed 's/.*"vkey":"//; s/".*//' >diagnostic.vkey
witness bob --knows diagnostic.vkey
trackway ledger cosign --part diagnostic --witness "$url" --witness-vkey "$witness_vkey" | sed -E 's/at .*/at TIME/'
trackway ledger cosign --witness "$url" --witness-vkey "$witness_vkey"
echo "the main one: $?"
dismiss
true
