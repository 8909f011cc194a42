TRACKWAY_KEYS=first trackway -q ledger init --origin lab.example.org/trials --ledger first.ledger >one
mv first/*.key my.key
trackway ledger init --key my.key --origin lab.example.org/other
