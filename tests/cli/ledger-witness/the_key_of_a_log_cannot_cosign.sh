. "$DATA/../cli/ledger-witness/common"
start
masked trackway ledger witness --knows trials.vkey --key keys/*.key
