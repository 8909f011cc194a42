. "$DATA/../cli/ledger/common"
start
cp -r "$DATA/bench/run" one
trackway -q ledger add one >/dev/null
id=$(trackway ledger list --kind bench --plain | cut -f 5)
masked trackway ledger erase "$id" --reason 'on request' --force
find ledger/objects ledger/artifacts -type f
trackway -q ledger verify | sed -n 1p
masked trackway ledger list --kind bench
