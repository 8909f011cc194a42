trackway ledger verify --entry b
