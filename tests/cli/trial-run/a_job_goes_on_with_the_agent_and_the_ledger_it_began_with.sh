. "$DATA/../cli/trial-run/common"
printf '#!/bin/sh\necho 4 >answer\n' >agent.sh
chmod +x agent.sh
trackway ledger init -q --origin example.com/other --ledger other >/dev/null
trackway trial run task --agent ./agent.sh --isolation none -q -o job --ledger other >/dev/null
# The variable does not take the place of the ledger that was named.
TRACKWAY_LEDGER=ledger trackway trial run --resume job -q --json=sealed,already_sealed
TRACKWAY_LEDGER=other trackway trial run --resume job -q --ledger ledger --json=sealed,already_sealed
# The records of a job name one agent.
echo '# better' >>agent.sh
trackway trial run --resume job -q 2>&1 | joined
