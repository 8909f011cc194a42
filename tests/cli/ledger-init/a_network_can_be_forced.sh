. "$DATA/../cli/ledger/common"
masked trackway ledger init --origin lab.example.org/trials --force-network -q
