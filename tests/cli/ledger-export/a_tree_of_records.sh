. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger export --layout tree out
(cd out && find . -type f | sort)
cmp out/e-1/t-001.json t-001.json
