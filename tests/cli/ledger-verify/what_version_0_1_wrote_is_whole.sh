trackway ledger verify --ledger "$DATA/ledger-0.1"
