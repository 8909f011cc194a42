trackway ledger witness --help
