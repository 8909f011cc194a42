. "$DATA/../cli/ledger/common"
unset TRACKWAY_KEYS
masked trackway ledger init --origin lab.example.org/trials
find .config/trackway/keys ledger -printf '%m %p\n' | mask | sort -k 2
