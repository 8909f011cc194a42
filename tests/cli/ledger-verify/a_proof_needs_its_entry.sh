trackway ledger verify --proof a --vkey b
