. "$DATA/../cli/ledger/common"
start_with_trials
mkdir out
echo mine >out/file
trackway ledger export --layout tree out --force --vkey trials.vkey
(cd out && find . -type f | sort)
