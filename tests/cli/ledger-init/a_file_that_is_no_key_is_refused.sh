echo hello >my.key && chmod 600 my.key
trackway ledger init --key my.key
