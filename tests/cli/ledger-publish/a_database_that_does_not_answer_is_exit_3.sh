trackway ledger publish out --vkey "$DATA/ledger/log.vkey" --ledger "postgres://u:secret@127.0.0.1:1/none" 2>message
status=$?
grep -c secret message
head -n 1 message | cut -c 1-12
exit $status
