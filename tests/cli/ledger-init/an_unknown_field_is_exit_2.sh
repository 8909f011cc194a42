trackway ledger init --origin a/b --json=vkeys
