. "$DATA/../cli/ledger-witness/common"
start
trackway ledger witness --knows trials.vkey
