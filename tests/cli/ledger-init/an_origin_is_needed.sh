trackway ledger init
