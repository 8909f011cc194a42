. "$DATA/../cli/ledger/common"
start_with_trials
record t-004
trackway -q ledger add t-004.json >/dev/null
trackway -q ledger review t-001 --judgment fail --notes 'wrong units' --reviewer ana >/dev/null
trackway -q ledger supersede t-001 t-004 --reason 'run again' >/dev/null
masked trackway ledger show 3
masked trackway ledger show 4
