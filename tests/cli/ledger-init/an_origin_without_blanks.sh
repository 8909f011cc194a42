trackway ledger init --origin "my lab"
