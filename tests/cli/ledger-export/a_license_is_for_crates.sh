trackway ledger export --license x
