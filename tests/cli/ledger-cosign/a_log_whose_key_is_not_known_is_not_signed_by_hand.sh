. "$DATA/../cli/ledger-witness/common"
start_with_trials
witness bob --knows trials.vkey
dismiss
TRACKWAY_KEYS=bob.keys trackway ledger cosign --key bob.keys/*.key
