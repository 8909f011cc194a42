trackway ledger verify --proof a --entry b --vkey c --against d
