TRACKWAY_LEDGER=there trackway -q ledger init --origin lab.example.org/trials >/dev/null && ls there/checkpoint
