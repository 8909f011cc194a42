trackway ledger export --layout tree
