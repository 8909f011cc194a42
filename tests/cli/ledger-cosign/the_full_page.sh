trackway ledger cosign --help
