trackway ledger fsck --drop-pending --ledger postgres://nobody@localhost/none
