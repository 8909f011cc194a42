trackway __complete -- ledger ve
trackway __complete -- help ledger ve
trackway __complete -- ledger list --part ''
trackway __complete -- ledger list --ledger ''
