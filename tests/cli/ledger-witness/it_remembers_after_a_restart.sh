# What it has cosigned is not forgotten: the older ledger, put back, gets nothing.
. "$DATA/../cli/ledger-witness/common"
start_with_trials
cp -r ledger before
cp -r keys keys.before
record t-004
trackway -q ledger add t-004.json >/dev/null
witness bob --knows trials.vkey
trackway -q ledger cosign --witness "$url" --witness-vkey "$witness_vkey"
dismiss
rm -r ledger keys
mv before ledger
mv keys.before keys
witness bob --knows trials.vkey
trackway ledger cosign --witness "$url" --witness-vkey "$witness_vkey"
echo "exit $?"
dismiss
true
