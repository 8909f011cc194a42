. "$DATA/../cli/ledger-witness/common"
start
TRACKWAY_KEYS=k trackway -q ledger witness --name bob.example.org/w --knows trials.vkey >said &
while [ ! -s said ]; do sleep 0.05; done
kill -TERM $!
wait $!
