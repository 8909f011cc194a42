. "$DATA/../cli/ledger/common"
start
trackway record -q -o rec -- true 2>/dev/null
masked trackway ledger add @last
masked trackway ledger add rec/
masked trackway ledger add @-7
