. "$DATA/../cli/ledger-witness/common"
start
witness bob --knows trials.vkey --listen 127.0.0.1:0
echo "$url $witness_vkey" | sed -E 's/:[0-9]+ /:PORT /' | mask
dismiss
echo "exit $?"
