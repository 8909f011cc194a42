trackway ledger >alone && trackway ledger -h >short && cmp alone short && sed -n "/^Commands/,\$p" alone | grep -cE "^  ledger (init|add|verify) "
