trackway ledger cosign --witness http://127.0.0.1:1 --policy p
