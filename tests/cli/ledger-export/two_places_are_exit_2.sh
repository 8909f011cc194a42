trackway ledger export -o a b
