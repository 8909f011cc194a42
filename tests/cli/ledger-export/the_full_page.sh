trackway ledger export --help
