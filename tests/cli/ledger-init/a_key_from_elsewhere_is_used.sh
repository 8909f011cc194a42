TRACKWAY_KEYS=first trackway -q ledger init --origin lab.example.org/trials --ledger first.ledger >one
mv first/*.key my.key
trackway -q ledger init --key my.key >two
cmp one two
