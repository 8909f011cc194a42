trackway ledger witness --name bob.example.org/w
