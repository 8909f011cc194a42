# Two machines: a ledger and a witness each. Each has its head cosigned by the other's witness.
. "$DATA/../cli/ledger-witness/common"
start_with_trials
TRACKWAY_KEYS=bob.keys trackway -q ledger init --origin bob.example.org/trials --ledger bob >bob.vkey
TRACKWAY_KEYS=bob.keys trackway -q ledger add t-001.json --ledger bob >/dev/null

witness bob --knows trials.vkey
printf 'log %s\nwitness bob %s\nquorum bob\n' "$(cat trials.vkey)" "$witness_vkey" >policy
trackway ledger verify --policy policy --vkey trials.vkey >/dev/null 2>&1
echo "before: $?"
trackway ledger cosign --witness "$url" --witness-vkey "$witness_vkey" | mask | sed -E 's/at .*/at TIME/'
trackway ledger verify --policy policy --vkey trials.vkey >/dev/null 2>&1
echo "after: $?"
dismiss

TRACKWAY_KEYS=keys witness ana --knows bob.vkey
printf 'log %s\nwitness ana %s\nquorum ana\n' "$(cat bob.vkey)" "$witness_vkey" >policy
TRACKWAY_KEYS=bob.keys trackway -q ledger cosign --witness "$url" --witness-vkey "$witness_vkey" --ledger bob
trackway ledger verify --policy policy --vkey bob.vkey --ledger bob >/dev/null 2>&1
echo "the other: $?"
dismiss
true
