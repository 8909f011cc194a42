# Version 0.1 had no experiment in the names of artifacts: entry 4 has such a name, entry 1 lost it to entry 4.
trackway ledger show diagnostic/4 --ledger "$DATA/ledger-0.1" | grep artifacts/
trackway ledger show diagnostic/1 --ledger "$DATA/ledger-0.1" | grep artifacts/
