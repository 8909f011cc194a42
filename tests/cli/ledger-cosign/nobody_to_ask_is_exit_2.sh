trackway ledger cosign
