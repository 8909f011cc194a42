. "$DATA/../cli/ledger/common"
start
trackway record -q -o rec --content -- true 2>/dev/null
masked trackway ledger add rec
masked trackway ledger show 0 --json=kind,files | sed 's/"size":[0-9]*/"size":N/g'
find ledger/artifacts -type f | sed 's|.*/||' | sort
