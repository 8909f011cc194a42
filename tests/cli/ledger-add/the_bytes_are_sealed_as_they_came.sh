. "$DATA/../cli/ledger/common"
start
printf '\n\n' >t-001.json && sed 's/,/ ,\n /g' "$DATA/trial/full.json" >>t-001.json
trackway -q ledger add t-001.json >/dev/null
trackway ledger show t-001 --only record | cmp - t-001.json && cmp ledger/records/e-1/t-001.json t-001.json
