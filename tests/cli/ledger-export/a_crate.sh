. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger export --layout ro-crate crate --license https://spdx.org/licenses/CC0-1.0
(cd crate && find . -type f | sort)
grep -o '"conformsTo":{"@id":"[^"]*"}' crate/ro-crate-metadata.json
trackway ledger verify --proof crate/proofs/e-2/t-002.tlog-proof --entry crate/proofs/e-2/t-002.entry --vkey trials.vkey >/dev/null
