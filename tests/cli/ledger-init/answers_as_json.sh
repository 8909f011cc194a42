. "$DATA/../cli/ledger/common"
masked trackway ledger init --origin lab.example.org/trials --json
masked trackway ledger init --origin lab.example.org/b --ledger b --json=origin,ledger
