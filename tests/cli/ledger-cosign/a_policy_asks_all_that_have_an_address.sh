. "$DATA/../cli/ledger-witness/common"
start_with_trials
witness bob --knows trials.vkey
first=$pid
printf 'log %s\nwitness bob %s %s\n' "$(cat trials.vkey)" "$witness_vkey" "$url" >policy
witness eve --knows trials.vkey
printf 'witness eve %s %s\ngroup both all bob eve\nquorum both\n' "$witness_vkey" "$url" >>policy
trackway ledger cosign --policy policy | sed -E 's/at .*/at TIME/'
trackway ledger verify --policy policy --vkey trials.vkey >/dev/null 2>&1
echo "verify: $?"
record t-004
trackway -q ledger add t-004.json >/dev/null
dismiss
trackway ledger cosign --policy policy --timeout 5 >out 2>err
echo "with one gone: $?"
grep -c 'no answer' err
grep 'policy is not satisfied' err | mask
kill "$first"
