trackway ledger verify --ledger none
