. "$DATA/../cli/ledger-witness/common"
start_with_trials
cp -r ledger before
record t-004
trackway -q ledger add t-004.json >/dev/null
witness bob --knows trials.vkey
dismiss
key=$(echo bob.keys/*.key)
trackway ledger cosign --key "$key" --state state --vkey trials.vkey >line
trackway ledger cosign --key "$key" --state state --vkey trials.vkey --ledger before
