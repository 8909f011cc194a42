trackway ledger verify --proof a --entry b
