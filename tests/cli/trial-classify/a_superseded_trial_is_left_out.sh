. "$DATA/../cli/trial-classify/common"
trials
export TRACKWAY_KEYS="$PWD/keys"
trackway ledger init --origin example.org/log --ledger led >/dev/null 2>&1
trackway ledger add trials/t1.json trials/t2.json --ledger led >/dev/null 2>&1
trackway ledger supersede t2 t1 --reason 'made again' --ledger led >/dev/null 2>&1
trackway trial classify led --json=aggregate | grep -o '"trials":[0-9]*' | head -1
