. "$DATA/../cli/ledger-witness/common"
start
witness bob --knows trials.vkey --state state
dismiss
TRACKWAY_KEYS=bob.keys masked trackway ledger witness --name eve.example.org/w --knows trials.vkey --state state
