. "$DATA/../cli/ledger/common"
start
trackway record -q -o rec --content -- true 2>/dev/null
trackway -q ledger add rec >first
masked trackway ledger add rec --with-content
find ledger/artifacts -type f | sed 's|.*/||' | sort
trackway -q ledger verify --vkey trials.vkey | sed -n 1p
