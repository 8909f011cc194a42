TRACKWAY_KEYS=first trackway -q ledger init --origin lab.example.org/trials --ledger first.ledger >one
mv first/*.key my.key
chmod 644 my.key
trackway ledger init --key my.key
