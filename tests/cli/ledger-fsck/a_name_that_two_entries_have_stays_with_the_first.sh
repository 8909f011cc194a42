# A long id is cut in its name, and the cut name can be the whole id of another trial.
. "$DATA/../cli/ledger/common"
start_with_trials
long=$(printf 'x%.0s' $(seq 201))
sed "s/t-001/$long/" t-001.json >first.json
trackway -q ledger add first.json >/dev/null
part=$(basename ledger/records/e-1/xxx* .json)
sed "s/t-001/$part/" t-001.json >second.json
trackway -q ledger add second.json 2>&1 | sed 's/x\{20,\}/x.../g'
rm ledger/records/e-1/xxx* ledger/.state/wal # else the next writer makes the name again
trackway -q ledger add second.json >/dev/null # nothing has the name now
cmp ledger/records/e-1/xxx* second.json && echo second
trackway ledger fsck --repair-index --force-network 2>&1 | sed "s/x\\{20,\\}/x.../g" | grep -A3 LG017
cmp ledger/records/e-1/xxx* first.json && echo first
