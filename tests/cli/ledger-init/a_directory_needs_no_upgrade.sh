trackway ledger init --upgrade
