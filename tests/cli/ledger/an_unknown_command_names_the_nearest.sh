trackway ledger verfy
