. "$DATA/../cli/ledger/common"
start
masked trackway ledger init --origin lab.example.org/other
